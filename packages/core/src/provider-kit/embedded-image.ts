import type { ContentPart } from '../contracts/provider.ts';

export interface EmbeddedImage {
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}

/**
 * The bytes of an image that comes with the request, as such or in a `data:` URL. Undefined for one that has to be fetched.
 *
 * @example
 * ```ts
 * import { embeddedImage } from '@patchbay/core/provider';
 *
 * const image = embeddedImage({ type: 'image', url: 'data:image/png;base64,iVBORw0KGgo=' });
 * console.log(image?.mediaType); // image/png
 * ```
 */
export function embeddedImage(image: Extract<ContentPart, { readonly type: 'image' }>): EmbeddedImage | undefined {
  if ('data' in image) return { mediaType: image.mediaType, data: image.data };
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(image.url) ?? [];
  return mediaType === undefined || data === undefined ? undefined : { mediaType, data };
}
