import type { CacheMark, Extra, FilePart, ImagePart, TextPart, UserPart } from '@patchbay/core/provider';
import type OpenAI from 'openai';
import type { Field } from '../request/field.ts';
import { checkBase64, mediaSource } from '../request/media.ts';
import type { Warnings } from '../request/warnings.ts';
import { keep, othersOf } from './kept-members.ts';

type ReadPart<P> = (part: Field, warnings: Warnings) => P;
type PartReaders<P> = Readonly<Record<string, ReadPart<P>>>;

/** What a user may send. A kind of part that OpenAI adds does not compile until it is read here. */
export const userParts = {
  text: readText,
  image_url: readImage,
  input_audio: readAudio,
  file: readFile,
} satisfies Record<OpenAI.ChatCompletionContentPart['type'], ReadPart<UserPart>>;

export const systemParts = { text: readText } satisfies PartReaders<TextPart>;

/** The results of tools: texts, and what compatible servers take beside them. */
export const resultParts = { text: readText, image_url: readImage, file: readFile } satisfies PartReaders<
  TextPart | ImagePart | FilePart
>;

/** What an assistant has said. */
export const assistantParts = {
  text: readText,
  refusal: (part: Field) => ({ type: 'refusal' as const, text: part.member('refusal').text() }),
};

/** A text, or the parts of a list that is not empty. */
export function readContent<P>(content: Field, readers: PartReaders<P>, warnings: Warnings): string | readonly P[] {
  if (typeof content.value === 'string') return content.value;
  if (content.isGiven && !Array.isArray(content.value)) {
    return content.fail('invalid_type', 'must be a text or a list of parts');
  }
  const parts = content.list();
  if (parts.length === 0) return content.fail('invalid_value', 'must not be an empty list');
  return parts.map((part) => {
    const type = part.member('type').oneOf(Object.keys(readers));
    return (readers[type] as ReadPart<P>)(part, warnings);
  });
}

function readText(part: Field, warnings: Warnings): TextPart {
  return { type: 'text', text: part.member('text').text(), ...rest(part, ['text'], warnings) };
}

function readImage(part: Field, warnings: Warnings): ImagePart {
  const image = part.member('image_url');
  const source = mediaSource(image.member('url'));
  const detail = image.member('detail').maybe((field) => field.oneOf(['auto', 'low', 'high', 'original']));
  const isPlain = detail === undefined || detail === 'auto';
  return { type: 'image', ...source, ...rest(part, isPlain ? ['image_url'] : [], warnings) };
}

const audioTypes = { wav: 'audio/wav', mp3: 'audio/mpeg' } as const satisfies Record<
  OpenAI.ChatCompletionContentPartInputAudio['input_audio']['format'],
  string
>;

function readAudio(part: Field, warnings: Warnings) {
  const audio = part.member('input_audio');
  const data = audio.member('data');
  return {
    type: 'audio' as const,
    data: checkBase64(data, data.name()),
    mediaType: audioTypes[audio.member('format').oneOf(['wav', 'mp3'])],
    ...rest(part, ['input_audio'], warnings),
  };
}

function readFile(part: Field, warnings: Warnings): FilePart {
  const file = part.member('file');
  const id = file.member('file_id');
  if (id.isGiven) id.fail('unsupported_parameter', 'names a file at a vendor; send the file itself as file_data');
  const name = file.member('filename').maybe((field) => field.name());
  return {
    type: 'file',
    ...mediaSource(file.member('file_data')),
    ...(name !== undefined && { name }),
    ...rest(part, ['file'], warnings),
  };
}

/** The cache mark of a part, and its members that have no counterpart. */
function rest(part: Field, read: readonly string[], warnings: Warnings): { cache?: CacheMark; extra?: Extra } {
  const cache = readCache(part);
  return {
    ...(cache && { cache }),
    ...keep(othersOf(part, ['type', 'cache_control', ...read]), 'content[]', warnings),
  };
}

/**
 * The mark behind which the prompt may be cached: that of OpenAI, or `cache_control`, which clients of Anthropic's models
 * send through gateways with this API.
 */
export function readCache(object: Field): CacheMark | undefined {
  const control = object.member('cache_control');
  if (!control.isGiven) {
    const mode = object.member('prompt_cache_breakpoint').maybe((mark) => mark.member('mode').oneOf(['explicit']));
    return mode && {};
  }
  control.member('type').oneOf(['ephemeral']);
  const ttl = control.member('ttl').maybe((field) => field.oneOf(['5m', '1h']));
  return ttl === undefined ? {} : { ttl };
}
