import type Anthropic from '@anthropic-ai/sdk';
import {
  type AudioPart,
  type CacheMark,
  definedMembers,
  type Extra,
  embeddedImage,
  type FilePart,
  type ImagePart,
  providerError,
  type TextPart,
} from '@patchbay/core/provider';
import { vendorMembers } from './vendor-members.ts';

/** Content of users and tools. */
type Block = Anthropic.TextBlockParam | Anthropic.ImageBlockParam | Anthropic.DocumentBlockParam;

interface Marks {
  readonly cache?: CacheMark;
  readonly extra?: Extra;
}

/** The block with what its part has beside its content: how far the prompt may be cached, and what only Anthropic knows. */
export function marked<B extends object>(part: Marks, block: B): B {
  const cache = part.cache && { type: 'ephemeral' as const, ...definedMembers({ ttl: part.cache.ttl }) };
  return { ...(vendorMembers(part) as object), ...block, ...definedMembers({ cache_control: cache }) };
}

/** None for an empty text, which Anthropic refuses. */
export function textBlocks(part: Marks & { readonly text: string }): Anthropic.TextBlockParam[] {
  return part.text === '' ? [] : [marked(part, { type: 'text', text: part.text })];
}

/**
 * The block of one part.
 *
 * @param provider Name of the provider, for messages.
 * @throws PatchbayError `unsupported_parameter` for what Anthropic does not take.
 */
export function userBlocks(provider: string, part: TextPart | ImagePart | AudioPart | FilePart): Block[] {
  switch (part.type) {
    case 'text':
      return textBlocks(part);
    case 'image':
      return [marked(part, { type: 'image', source: imageSource(provider, part) })];
    case 'file':
      return [documentBlock(provider, part)];
    case 'audio':
      throw providerError('unsupported', `${provider} takes no audio`);
  }
}

const mediaTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;

function imageSource(provider: string, image: ImagePart): Anthropic.Base64ImageSource | Anthropic.URLImageSource {
  const embedded = embeddedImage(image);
  if (!embedded) return { type: 'url', url: 'url' in image ? image.url : '' };
  const mediaType = mediaTypes.find((type) => type === embedded.mediaType);
  if (!mediaType) throw providerError('unsupported', `${provider} takes images as ${mediaTypes.join(', ')} only`);
  return { type: 'base64', media_type: mediaType, data: embedded.data };
}

function documentBlock(provider: string, file: FilePart): Block {
  const image: ImagePart = { ...file, type: 'image' };
  const embedded = embeddedImage(image);
  if (embedded && mediaTypes.some((type) => type === embedded.mediaType)) {
    return marked(file, { type: 'image', source: imageSource(provider, image) });
  }
  const source = embedded ? embeddedDocument(provider, embedded) : ({ type: 'url', url: urlOf(file) } as const);
  return marked(file, { type: 'document', source, ...definedMembers({ title: file.name }) });
}

const urlOf = (file: FilePart): string => ('url' in file ? file.url : '');

function embeddedDocument(
  provider: string,
  { mediaType, data }: { readonly mediaType: string; readonly data: string },
): Anthropic.Base64PDFSource | Anthropic.PlainTextSource {
  if (mediaType === 'application/pdf') return { type: 'base64', media_type: mediaType, data };
  if (!mediaType.startsWith('text/')) {
    throw providerError('unsupported', `${provider} takes files as PDF, text or images only`);
  }
  return { type: 'text', media_type: 'text/plain', data: Buffer.from(data, 'base64').toString('utf8') };
}
