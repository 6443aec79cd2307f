import {
  type AudioPart,
  definedMembers,
  embeddedImage,
  type FilePart,
  type ImagePart,
  providerError,
} from '@patchbay/core/provider';
import type { MediaPart } from './wire.ts';

/**
 * An image, audio or a file, as data or by its address.
 *
 * @param provider Name of the provider, for messages.
 * @throws PatchbayError `unsupported_parameter` for files stored at Google: a file of our account there may belong to
 *   another tenant.
 */
export function mediaPart(provider: string, part: ImagePart | AudioPart | FilePart): MediaPart {
  const embedded = embeddedImage({ ...part, type: 'image' });
  if (embedded) return { inlineData: { mimeType: embedded.mediaType, data: embedded.data } };
  const fileUri = 'url' in part ? part.url : '';
  const address = URL.canParse(fileUri) ? new URL(fileUri) : undefined;
  if (!address || !/^https?:$/.test(address.protocol)) {
    throw providerError('unsupported', `${provider} takes files as base64 or by an address of the web only`);
  }
  if (address.hostname.endsWith('googleapis.com')) {
    throw providerError('unsupported', `${provider} takes no files that are stored at Google`);
  }
  return { fileData: { fileUri, ...definedMembers({ mimeType: typeOf(address) }) } };
}

const types: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  pdf: 'application/pdf',
  txt: 'text/plain',
};

const typeOf = ({ pathname }: URL): string | undefined => types[pathname.split('.').at(-1)?.toLowerCase() ?? ''];
