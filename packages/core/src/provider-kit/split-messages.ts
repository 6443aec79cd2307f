import type { ContentPart, Message } from '../contracts/provider.ts';
import { providerError } from '../contracts/provider-error.ts';

export interface SplitMessages {
  readonly system: readonly string[];
  readonly turns: readonly Turn[];
  readonly warnings: readonly string[];
}

/** A message that is no system message. */
export type Turn =
  | { readonly role: 'user'; readonly content: string | readonly ContentPart[] }
  | Extract<Message, { readonly role: 'assistant' | 'tool' }>;

/**
 * Split messages for vendors that take system messages at the front only, and need a user message behind them.
 *
 * @param provider Name of the provider, for messages.
 *
 * @example
 * ```ts
 * import { splitSystemMessages } from '@patchbay/core/provider';
 *
 * const { system, turns } = splitSystemMessages('acme', [
 *   { role: 'system', content: 'Be brief.' },
 *   { role: 'user', content: 'Hello' },
 * ]);
 * console.log(system, turns.length); // [ 'Be brief.' ] 1
 * ```
 */
export function splitSystemMessages(provider: string, messages: readonly Message[]): SplitMessages {
  const system: string[] = [];
  const turns: Turn[] = [];
  let moved = false;
  for (const message of messages) {
    if (message.role === 'assistant' || message.role === 'tool') {
      turns.push(message);
    } else if (message.role === 'user') {
      turns.push({ role: 'user', content: message.content });
    } else {
      moved ||= turns.length > 0;
      system.push(...systemTexts(provider, message.content));
    }
  }
  if (turns.length === 0 && system.length > 0) {
    const content = system.map((text) => ({ type: 'text' as const, text }));
    const warning = `${provider} needs a question: the system messages were sent as one`;
    return { system: [], turns: [{ role: 'user', content }], warnings: [warning] };
  }
  const warnings = moved ? [`${provider} has system messages at the front only: later ones were moved there`] : [];
  return { system, turns, warnings };
}

/** The texts of a system message, which may have no images. */
function systemTexts(provider: string, content: string | readonly ContentPart[]): string[] {
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  const texts = parts.map((part) => {
    if (part.type === 'text') return part.text;
    throw providerError('unsupported', `${provider} does not support images in system messages`);
  });
  return texts.filter((text) => text !== '');
}

export interface EmbeddedImage {
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}

/**
 * The bytes of an image that comes with the request, as such or in a `data:` URL. Undefined for one that must be fetched.
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
