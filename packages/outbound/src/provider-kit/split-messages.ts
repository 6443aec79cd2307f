import type { ImagePart, Message, TextPart, UserPart } from '@patchbay/contracts/message';
import { partsOf } from './message-content.ts';

export interface SplitMessages {
  readonly system: readonly TextPart[];
  readonly turns: readonly Turn[];
  readonly warnings: readonly string[];
}

/** A message that is not a system message. */
export type Turn =
  | { readonly role: 'user'; readonly content: string | readonly UserPart[] }
  | Extract<Message, { readonly role: 'assistant' | 'tool' }>;

/**
 * Split messages for vendors that accept system messages only at the start, and require a user message after them.
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
 * console.log(system[0]?.text, turns.length); // Be brief. 1
 * ```
 */
export function splitSystemMessages(provider: string, messages: readonly Message[]): SplitMessages {
  const system: TextPart[] = [];
  const turns: Turn[] = [];
  let moved = false;
  for (const message of messages) {
    if (message.role === 'assistant' || message.role === 'tool') {
      turns.push(message);
    } else if (message.role === 'user') {
      turns.push({ role: 'user', content: message.content });
    } else {
      moved ||= turns.length > 0;
      system.push(...partsOf<TextPart>(message.content).filter(({ text }) => text !== ''));
    }
  }
  if (turns.length === 0 && system.length > 0) {
    const warning = `${provider} needs a question: the system messages were sent as one`;
    return { system: [], turns: [{ role: 'user', content: system }], warnings: [warning] };
  }
  const warnings = moved ? [`${provider} has system messages at the front only: later ones were moved there`] : [];
  return { system, turns, warnings };
}

export interface EmbeddedImage {
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}

/**
 * The bytes of an image that is part of the request, as is or in a `data:` URL. Undefined for one that must be fetched.
 *
 * @example
 * ```ts
 * import { embeddedImage } from '@patchbay/core/provider';
 *
 * const image = embeddedImage({ type: 'image', url: 'data:image/png;base64,iVBORw0KGgo=' });
 * console.log(image?.mediaType); // image/png
 * ```
 */
export function embeddedImage(image: ImagePart): EmbeddedImage | undefined {
  if ('data' in image) return { mediaType: image.mediaType, data: image.data };
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(image.url) ?? [];
  return mediaType === undefined || data === undefined ? undefined : { mediaType, data };
}
