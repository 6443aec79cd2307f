import type { JsonObject } from '@patchbay/core/plugin';
import type { Extra, JsonFields } from '@patchbay/core/provider';

/** The name of the Gemini API among the wire formats of `extra`. */
const FORMAT = 'google';

/** What a request, a message, a part or a tool has for the Gemini API alone. */
export function vendorMembers({ extra }: { readonly extra?: Extra }): JsonObject {
  return extra?.[FORMAT] ?? {};
}

/** What an answer of the Gemini API has beyond the common members, as a member `extra`; nothing where it has no more. */
export function vendorExtra(members: JsonFields): { readonly extra?: Extra } {
  return Object.keys(members).length > 0 ? { extra: { [FORMAT]: members as JsonObject } } : {};
}
