import {
  type AudioPart,
  type FilePart,
  fieldsOf,
  type ImagePart,
  providerError,
  type TextPart,
  type UserPart,
} from '@patchbay/core/provider';
import type OpenAI from 'openai';
import type { ChatStyle } from './chat-style.ts';
import { extraOf, refuseStored } from './extra.ts';

/** A part of a user's message. */
export function userPart(part: UserPart, style: ChatStyle): OpenAI.ChatCompletionContentPart {
  switch (part.type) {
    case 'text':
      return textPart(part, style);
    case 'image': {
      const { detail, image_url: more, ...others } = extraOf(part, 'openai-chat');
      const image = { ...fieldsOf(more), ...(detail !== undefined && { detail }), url: imageUrl(part) };
      return { ...others, type: 'image_url', image_url: image as OpenAI.ChatCompletionContentPartImage.ImageURL };
    }
    case 'audio': {
      const { input_audio: more, ...others } = extraOf(part, 'openai-chat');
      const audio = { ...fieldsOf(more), data: part.data, format: audioFormat(part, style.provider) };
      return { ...others, type: 'input_audio', input_audio: audio };
    }
    case 'file': {
      const { file: more, ...others } = extraOf(part, 'openai-chat');
      refuseStored(style.provider, fieldsOf(more) ?? {});
      return { ...others, type: 'file', file: { ...fieldsOf(more), ...fileOf(part, style) } };
    }
  }
}

export function textPart(part: TextPart, { preset }: ChatStyle): OpenAI.ChatCompletionContentPartText {
  const { cache } = part;
  // OpenAI and most others cache without being asked.
  const mark = cache && preset?.takesCacheMarks ? { cache_control: { type: 'ephemeral', ...cache } } : {};
  return { ...mark, ...extraOf(part, 'openai-chat'), type: 'text', text: part.text };
}

/** Whether a part has nothing to send but its text. */
export function isPlain(part: TextPart, { preset }: ChatStyle): boolean {
  return !(part.cache && preset?.takesCacheMarks) && Object.keys(extraOf(part, 'openai-chat')).length === 0;
}

export function imageUrl(image: ImagePart): string {
  return 'url' in image ? image.url : dataUrl(image);
}

export const dataUrl = ({ data, mediaType }: { readonly data: string; readonly mediaType: string }): string =>
  `data:${mediaType};base64,${data}`;

const audioFormats: ReadonlyMap<string, 'wav' | 'mp3'> = new Map([
  ['audio/wav', 'wav'],
  ['audio/wave', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/vnd.wave', 'wav'],
  ['audio/mpeg', 'mp3'],
  ['audio/mp3', 'mp3'],
]);

function audioFormat({ mediaType }: AudioPart, provider: string): 'wav' | 'mp3' {
  const format = audioFormats.get(mediaType.toLowerCase());
  if (format) return format;
  throw providerError('unsupported', `${provider} supports audio as WAV and MP3 only, not as ${mediaType}`);
}

/** OpenAI takes only PDF, and no URLs. developers.openai.com/api/docs/guides/file-inputs, 2026-11. */
function fileOf(part: FilePart, { provider, preset, isOpenAi }: ChatStyle) {
  const refuse = (what: string) =>
    providerError('unsupported', `${provider} does not support ${what} in chat completions`);
  const url = 'data' in part ? dataUrl(part) : part.url;
  const mediaType = /^data:([^;,]+)/.exec(url)?.[1];
  if (mediaType === undefined && !preset?.takesFileUrls) throw refuse('files by their address');
  if (isOpenAi && mediaType !== 'application/pdf') throw refuse('files other than PDF');
  return { filename: fileName({ ...part, mediaType }), file_data: url };
}

/** Files without a name are refused. */
export function fileName({ name, mediaType }: { readonly name?: string; readonly mediaType: string | undefined }) {
  return name ?? (mediaType === 'application/pdf' ? 'document.pdf' : 'document');
}
