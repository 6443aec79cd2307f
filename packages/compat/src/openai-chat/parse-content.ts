import type { CacheMark, Extra, FilePart, ImagePart, TextPart, UserPart } from '@patchbay/core/provider';
import type OpenAI from 'openai';
import type { Field } from '../request/field.ts';
import { checkBase64, mediaSource } from '../request/media.ts';
import type { Warnings } from '../request/warnings.ts';

/** Anthropic's cache mark, which clients of its models send through gateways with this API. */
export interface Cached {
  readonly cache_control?: { readonly type: 'ephemeral'; readonly ttl?: '5m' | '1h' } | null;
}

type ContentParam = NonNullable<OpenAI.ChatCompletionMessageParam['content']>;
type PartParam = (OpenAI.ChatCompletionContentPart | OpenAI.ChatCompletionContentPartRefusal) & Cached;
type ReadPart<P> = (part: Field<PartParam>, warnings: Warnings) => P;
type PartReaders<P> = Readonly<Record<string, ReadPart<P>>>;

/** The parts of a user. A new kind of part from OpenAI does not compile until it is read here. */
export const userParts = {
  text: readText,
  image_url: readImage,
  input_audio: readAudio,
  file: readFile,
} satisfies Record<OpenAI.ChatCompletionContentPart['type'], ReadPart<UserPart>>;

export const systemParts = { text: readText } satisfies PartReaders<TextPart>;

/** Tool results: texts, and what compatible servers accept in addition. */
export const resultParts = { text: readText, image_url: readImage, file: readFile } satisfies PartReaders<
  TextPart | ImagePart | FilePart
>;

/** The parts of an assistant. */
export const assistantParts = {
  text: readText,
  refusal: (part: Field<PartParam>) => ({ type: 'refusal' as const, text: part.member('refusal').text() }),
};

/** A text, or the parts of a list that is not empty. */
export function readContent<P>(
  content: Field<ContentParam>,
  readers: PartReaders<P>,
  warnings: Warnings,
): string | readonly P[] {
  const parts = content.textOrList();
  if (typeof parts === 'string') return parts;
  if (parts.length === 0) return content.fail('invalid_value', 'must not be an empty list');
  return parts.map((part) => {
    const type = part.member('type').oneOf(Object.keys(readers));
    return (readers[type] as ReadPart<P>)(part.as(), warnings);
  });
}

function readText(part: Field<PartParam>, warnings: Warnings): TextPart {
  return { type: 'text', text: part.member('text').text(), ...marksOf(part, warnings) };
}

function readImage(part: Field<PartParam>, warnings: Warnings): ImagePart {
  const image = part.member('image_url');
  const source = mediaSource(image.member('url'));
  const detail = image.member('detail').maybe((field) => field.oneOf(['auto', 'low', 'high', 'original']));
  const isPlain = detail === undefined || detail === 'auto';
  return { type: 'image', ...source, ...marksOf(part, warnings, isPlain ? [] : ['image_url']) };
}

const audioTypes = { wav: 'audio/wav', mp3: 'audio/mpeg' } as const satisfies Record<
  OpenAI.ChatCompletionContentPartInputAudio['input_audio']['format'],
  string
>;

function readAudio(part: Field<PartParam>, warnings: Warnings) {
  const audio = part.member('input_audio');
  const mediaType = audioTypes[audio.member('format').oneOf(['wav', 'mp3'])];
  return { type: 'audio' as const, data: checkBase64(audio.member('data')), mediaType, ...marksOf(part, warnings) };
}

function readFile(part: Field<PartParam>, warnings: Warnings): FilePart {
  const file = part.member('file');
  const id = file.member('file_id');
  if (id.isGiven) id.fail('unsupported_parameter', 'names a file at a vendor; send the file itself as file_data');
  const name = file.member('filename').maybe((field) => field.name());
  const source = mediaSource(file.member('file_data'));
  return { type: 'file', ...source, ...(name !== undefined && { name }), ...marksOf(part, warnings) };
}

const within = { image_url: 'image_url.detail' };

/** The cache mark of a part, and its members that have no counterpart. Call it last. */
function marksOf(
  part: Field<PartParam>,
  warnings: Warnings,
  also: readonly 'image_url'[] = [],
): { cache?: CacheMark; extra?: Extra } {
  const cache = readCache(part.as());
  // It has more members than a mark.
  const breakpoint = part.member('prompt_cache_breakpoint').isGiven ? (['prompt_cache_breakpoint'] as const) : [];
  return { ...(cache && { cache }), ...warnings.keep(part.rest(...also, ...breakpoint), 'content[]', within) };
}

/** The mark up to which the prompt may be cached: that of OpenAI, or that of Anthropic. */
export function readCache(
  object: Field<Cached & Pick<OpenAI.ChatCompletionContentPartText, 'prompt_cache_breakpoint'>>,
): CacheMark | undefined {
  const control = object.member('cache_control');
  const breakpoint = object.member('prompt_cache_breakpoint');
  if (!control.isGiven) return breakpoint.maybe((mark) => mark.member('mode').oneOf(['explicit']) && {});
  control.member('type').oneOf(['ephemeral']);
  const ttl = control.member('ttl').maybe((field) => field.oneOf(['5m', '1h']));
  return ttl === undefined ? {} : { ttl };
}
