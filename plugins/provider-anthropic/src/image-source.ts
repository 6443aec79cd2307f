import type Anthropic from '@anthropic-ai/sdk';
import { type ContentPart, embeddedImage, providerError } from '@patchbay/core/provider';

const mediaTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;

/**
 * @param provider Name of the provider, for messages.
 * @throws PatchbayError `unsupported_parameter` for a kind of image that Anthropic does not take.
 */
export function imageSource(
  provider: string,
  image: Extract<ContentPart, { readonly type: 'image' }>,
): Anthropic.Base64ImageSource | Anthropic.URLImageSource {
  const embedded = embeddedImage(image);
  if (!embedded) return { type: 'url', url: 'url' in image ? image.url : '' };
  const mediaType = mediaTypes.find((type) => type === embedded.mediaType);
  if (!mediaType) throw providerError('unsupported', `${provider} takes images as ${mediaTypes.join(', ')} only`);
  return { type: 'base64', media_type: mediaType, data: embedded.data };
}
