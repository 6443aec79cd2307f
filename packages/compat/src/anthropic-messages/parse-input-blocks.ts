import type Anthropic from '@anthropic-ai/sdk';
import type { CacheMark, Extra, FilePart, ImagePart, TextPart } from '@patchbay/core/provider';
import { definedMembers } from '@patchbay/core/provider';
import type { Field } from '../request/field.ts';
import { checkBase64, webAddress } from '../request/media.ts';
import type { Warnings } from '../request/warnings.ts';

/** A part of a user message or of a tool result. */
export type InputPart = TextPart | ImagePart | FilePart;

interface Cacheable {
  readonly cache_control?: Anthropic.CacheControlEphemeral | null;
}

/** Blocks that may occur in a user message, except tool results, and in tool results. */
const inputTypes = ['text', 'image', 'document', 'search_result', 'tool_reference', 'container_upload'] as const;

/**
 * The parts that a block of a user message or of a tool result becomes: one, but for documents with a context or with
 * several blocks.
 */
export function inputParts(block: Field<Anthropic.ContentBlockParam>, warnings: Warnings): readonly InputPart[] {
  const type = block.member('type');
  switch (type.oneOf(inputTypes)) {
    case 'text':
      return [textPart(block.as(), warnings)];
    case 'image':
      return [imagePart(block.as(), warnings)];
    case 'document':
      return documentParts(block.as(), warnings);
    case 'search_result':
      return [searchResultPart(block.as(), warnings)];
    case 'tool_reference':
      return [toolReferencePart(block.as(), warnings)];
    case 'container_upload':
      return type.fail('unsupported_value', 'names a file in a container of Anthropic, which only its models read');
  }
}

export function textPart(block: Field<Anthropic.TextBlockParam>, warnings: Warnings): TextPart {
  return { type: 'text', text: block.member('text').text(), ...marksOf(block.as(), 'text', warnings) };
}

/** The cache mark of a block, and the members that no other vendor has. Call it last: it takes what was not read. */
export function marksOf(
  block: Field<Cacheable>,
  kind: string,
  warnings: Warnings,
): { readonly cache?: CacheMark; readonly extra?: Extra } {
  return { ...definedMembers({ cache: cacheOf(block) }), ...warnings.keep(block.rest(), kind) };
}

export function cacheOf(block: Field<Cacheable>): CacheMark | undefined {
  return block.member('cache_control').maybe((control) => {
    control.member('type').oneOf(['ephemeral']);
    return definedMembers({ ttl: control.member('ttl').maybe((field) => field.oneOf(['5m', '1h'])) });
  });
}

type ImageSource = Anthropic.ImageBlockParam['source'];
type DocumentSource = Anthropic.DocumentBlockParam['source'];

function imagePart(block: Field<Anthropic.ImageBlockParam>, warnings: Warnings): ImagePart {
  const source = block.member('source');
  source.member('type').oneOf(['base64', 'url', 'file']);
  const content = sourceOf(source.as(), /^image\/[a-z0-9.+-]{1,80}$/, 'an image');
  return { type: 'image', ...content, ...marksOf(block.as(), 'image', warnings) };
}

function sourceOf(source: Field<ImageSource | DocumentSource>, mediaTypes: RegExp, kind: string) {
  const type = source.member('type');
  if (type.text() === 'file') type.fail('unsupported_value', 'names a file at Anthropic, which only its models read');
  if (type.text() === 'url') return { url: webAddress(source.member('url')) };
  const mediaType = source.member('media_type');
  if (!mediaTypes.test(mediaType.text())) mediaType.fail('invalid_value', `must be the media type of ${kind}`);
  return { data: checkBase64(source.member('data')), mediaType: mediaType.text() };
}

/** A PDF is a file whose name is its title. Other documents are texts that begin with title and context. */
function documentParts(block: Field<Anthropic.DocumentBlockParam>, warnings: Warnings): readonly InputPart[] {
  const text = (name: 'title' | 'context') => block.member(name).maybe((field) => field.text());
  const [title, context] = [text('title'), text('context')];
  const source = block.member('source');
  const type = source.member('type').oneOf(['base64', 'text', 'content', 'url', 'file']);
  const isText = type === 'text' || type === 'content';
  const name = isText ? {} : definedMembers({ name: title || undefined });
  const parts: readonly InputPart[] = isText
    ? documentTexts(source, type, warnings)
    : [{ type: 'file', ...sourceOf(source.as(), /^(application|text)\/[a-z0-9.+-]{1,80}$/, 'a document'), ...name }];
  const head = (isText ? [title, context] : [context]).flatMap((line) => (line ? [{ type: 'text', text: line }] : []));
  const marks = marksOf(block.as(), 'document', warnings);
  // The last part carries what applies to all of them.
  return [...(head as TextPart[]), ...parts].map((part, index, all) =>
    index === all.length - 1 ? { ...part, ...marks } : part,
  );
}

function documentTexts(source: Field<DocumentSource>, type: 'text' | 'content', warnings: Warnings) {
  if (type === 'text') {
    source.member('media_type').oneOf(['text/plain']);
    return [{ type: 'text' as const, text: source.member('data').text() }];
  }
  const content = source.member('content').textOrList();
  if (typeof content === 'string') return [{ type: 'text' as const, text: content }];
  return content.flatMap((block) => {
    block.member('type').oneOf(['text', 'image']);
    return inputParts(block.as(), warnings);
  });
}

function searchResultPart(block: Field<Anthropic.SearchResultBlockParam>, warnings: Warnings): TextPart {
  const [title, source] = [block.member('title').text(), block.member('source').text()];
  const texts = block
    .member('content')
    .list()
    .map((item) => {
      item.member('type').oneOf(['text']);
      return item.member('text').text();
    });
  const text = [[title, source].filter((line) => line !== '').join('\n'), ...texts].join('\n\n');
  return { type: 'text', text, ...marksOf(block.as(), 'search_result', warnings) };
}

/** Other vendors get all tools with the request: the reference says which one was looked for. */
function toolReferencePart(block: Field<Anthropic.ToolReferenceBlockParam>, warnings: Warnings): TextPart {
  const text = `The tool ${block.member('tool_name').name()} is available.`;
  return { type: 'text', text, ...marksOf(block.as(), 'tool_reference', warnings) };
}
