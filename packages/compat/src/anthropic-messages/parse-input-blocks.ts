import type Anthropic from '@anthropic-ai/sdk';
import type { CacheMark, Extra, FilePart, ImagePart, TextPart } from '@patchbay/core/provider';
import { definedMembers } from '@patchbay/core/provider';
import { Field } from '../request/field.ts';
import { checkBase64, webAddress } from '../request/media.ts';
import { Fields, unexpectedTag } from './fields.ts';
import { invalidRequest, type Place, placeOf, refusedAt, unsupported } from './invalid-request.ts';
import type { Notes } from './notes.ts';

/** A part of a user message or of the result of a tool. */
export type InputPart = TextPart | ImagePart | FilePart;

interface Typed {
  readonly type: string;
}

interface Cacheable {
  readonly cache_control?: Anthropic.CacheControlEphemeral | null;
}

/** A block of several possible types, and its type. */
export function blockOf(value: unknown, place: Place): { readonly block: Fields<Typed>; readonly type: string } {
  const block = new Fields<Typed>(value, place);
  return { block, type: block.tag('type') };
}

const inputTypes = ['text', 'image', 'document', 'search_result'] as const;

/** Whether blocks of a type are parts of what a model reads, wherever they stand. */
export function isInputType(type: string): type is (typeof inputTypes)[number] {
  return inputTypes.some((each) => each === type);
}

/**
 * The parts that a block of a user message or of a tool's result becomes: one, but for documents with a context or with
 * blocks of their own.
 *
 * @param more Types that may stand here as well: for the message of the error.
 */
export function inputParts(
  value: unknown,
  place: Place,
  notes: Notes,
  more: readonly string[] = [],
): readonly InputPart[] {
  const { block, type } = blockOf(value, place);
  switch (type) {
    case 'text':
      return [textPart(block.as<Anthropic.TextBlockParam>(), notes)];
    case 'image':
      return [imagePart(block.as<Anthropic.ImageBlockParam>(), notes)];
    case 'document':
      return documentParts(block.as<Anthropic.DocumentBlockParam>(), notes);
    case 'search_result':
      return [searchResultPart(block.as<Anthropic.SearchResultBlockParam>(), notes)];
    case 'tool_reference':
      return [toolReferencePart(block.as<Anthropic.ToolReferenceBlockParam>(), notes)];
    case 'container_upload':
      throw unsupported(place, 'a file in a container of Anthropic is read by models of Anthropic only');
    default:
      throw unexpectedTag(place, type, [...inputTypes, ...more]);
  }
}

export function textPart(block: Fields<Anthropic.TextBlockParam>, notes: Notes): TextPart {
  return { type: 'text', text: block.text('text'), ...marksOf(block.as<Cacheable>(), 'text', notes) };
}

/** The cache mark of a block, and the members that no other vendor has. To be called last: it takes what was not read. */
export function marksOf(
  block: Fields<Cacheable>,
  kind: string,
  notes: Notes,
): { readonly cache?: CacheMark; readonly extra?: Extra } {
  block.get('cache_control');
  return { ...definedMembers({ cache: cacheOf(block) }), ...notes.keep(block.rest(), kind) };
}

export function cacheOf(block: Fields<Cacheable>): CacheMark | undefined {
  const control = block.optionalObject<Anthropic.CacheControlEphemeral>('cache_control');
  if (!control) return undefined;
  control.oneOf('type', ['ephemeral']);
  return control.get('ttl') === undefined ? {} : { ttl: control.oneOf('ttl', ['5m', '1h']) };
}

type ImageSource = Anthropic.ImageBlockParam['source'];
type SourceOf<S extends { readonly type: string }, T extends S['type']> = Extract<S, { readonly type: T }>;

function imagePart(block: Fields<Anthropic.ImageBlockParam>, notes: Notes): ImagePart {
  const source = block.object<Typed>('source');
  const type = source.tag('type');
  const content =
    type === 'base64'
      ? embedded(source.as<SourceOf<ImageSource, 'base64'>>(), /^image\/[a-z0-9.+-]{1,80}$/, 'an image')
      : linked(source, type, ['base64', 'url']);
  return { type: 'image', ...content, ...marksOf(block.as<Cacheable>(), 'image', notes) };
}

interface Embedded {
  readonly data: string;
  readonly media_type: string;
}

function embedded(source: Fields<Embedded>, mediaTypes: RegExp, kind: string) {
  const [data, mediaType] = [source.name('data'), source.name('media_type')];
  if (mediaTypes.test(mediaType)) {
    refusedAt(source.at('data'), () => checkBase64(new Field(data), data));
    return { data, mediaType };
  }
  throw invalidRequest(source.at('media_type'), `Input should be the media type of ${kind}`, 'enum');
}

function linked(source: Fields<Typed>, type: string, expected: readonly string[]): { readonly url: string } {
  if (type === 'file') {
    throw unsupported(source.place, 'a file that is stored at Anthropic is read by models of Anthropic only');
  }
  if (type !== 'url') throw unexpectedTag(source.place, type, expected);
  const linkedSource = source.as<Anthropic.URLImageSource>();
  const url = linkedSource.text('url');
  if (!/^https?:/i.test(url)) {
    throw invalidRequest(linkedSource.at('url'), 'Input should be an http or https URL', 'format');
  }
  return { url: refusedAt(linkedSource.at('url'), () => webAddress(new Field(url))) };
}

type DocumentSource = Anthropic.DocumentBlockParam['source'];

/** A PDF is a file whose name is its title. Other documents are texts that begin with title and context. */
function documentParts(block: Fields<Anthropic.DocumentBlockParam>, notes: Notes): readonly InputPart[] {
  const [title, context] = [block.optionalText('title'), block.optionalText('context')];
  const source = block.object<Typed>('source');
  const type = source.tag('type');
  if (type === 'text' || type === 'content') {
    const parts =
      type === 'text'
        ? plainText(source.as<SourceOf<DocumentSource, 'text'>>())
        : contentParts(source.as<SourceOf<DocumentSource, 'content'>>(), notes);
    return marked(block, 'document', [...headOf([title, context]), ...parts], notes);
  }
  const content =
    type === 'base64'
      ? embedded(
          source.as<SourceOf<DocumentSource, 'base64'>>(),
          /^(application|text)\/[a-z0-9.+-]{1,80}$/,
          'a document',
        )
      : linked(source, type, ['base64', 'text', 'content', 'url']);
  const file: FilePart = { type: 'file', ...content, ...(title ? { name: title } : {}) };
  return marked(block, 'document', [...headOf([context]), file], notes);
}

function plainText(source: Fields<Anthropic.PlainTextSource>): readonly TextPart[] {
  source.oneOf('media_type', ['text/plain']);
  return [{ type: 'text', text: source.text('data') }];
}

function contentParts(source: Fields<Anthropic.ContentBlockSource>, notes: Notes): readonly InputPart[] {
  const content = source.required('content');
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  const blocks = source.list('content') ?? [];
  return blocks.flatMap((value, index) => {
    const place = placeOf(source.at('content'), index);
    const { type } = blockOf(value, place);
    if (type !== 'text' && type !== 'image') throw unexpectedTag(place, type, ['text', 'image']);
    return inputParts(value, place, notes);
  });
}

function searchResultPart(block: Fields<Anthropic.SearchResultBlockParam>, notes: Notes): TextPart {
  const [title, source] = [block.text('title'), block.text('source')];
  block.required('content');
  const texts = (block.list('content') ?? []).map((value, index) => {
    const text = new Fields<Anthropic.TextBlockParam>(value, placeOf(block.at('content'), index));
    text.oneOf('type', ['text']);
    return text.text('text');
  });
  const text = [[title, source].filter((line) => line !== '').join('\n'), ...texts].join('\n\n');
  return { type: 'text', text, ...marksOf(block.as<Cacheable>(), 'search_result', notes) };
}

/** Other vendors get all tools with the request: the reference says which one was looked for. */
function toolReferencePart(block: Fields<Anthropic.ToolReferenceBlockParam>, notes: Notes): TextPart {
  const text = `The tool ${block.name('tool_name')} is available.`;
  return { type: 'text', text, ...marksOf(block.as<Cacheable>(), 'tool_reference', notes) };
}

function headOf(lines: readonly (string | undefined)[]): readonly TextPart[] {
  return lines.flatMap((text) => (text ? [{ type: 'text', text }] : []));
}

/** The parts of one block, the last of which carries what applies to all of it. */
function marked<T extends Cacheable>(
  block: Fields<T>,
  kind: string,
  parts: readonly InputPart[],
  notes: Notes,
): readonly InputPart[] {
  const marks = marksOf(block.as<Cacheable>(), kind, notes);
  return parts.map((part, index) => (index === parts.length - 1 ? { ...part, ...marks } : part));
}
