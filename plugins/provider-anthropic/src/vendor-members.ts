import type { JsonObject } from '@patchbay/core/plugin';
import type { Extra, JsonFields } from '@patchbay/core/provider';

/** The name of the Messages API among the wire formats of `extra`. */
const FORMAT = 'anthropic-messages';

/** What a request, a message, a part or a tool has for the Messages API alone. */
export function vendorMembers({ extra }: { readonly extra?: Extra }): JsonObject {
  return extra?.[FORMAT] ?? {};
}

/**
 * What an answer of the Messages API has beyond the common members, as a member `extra`; nothing where it has no more.
 *
 * @param read Names of the members that are read otherwise.
 */
export function vendorExtra(members: JsonFields, read: readonly string[]): { readonly extra?: Extra } {
  // The API writes null for what it does not say.
  const rest = Object.entries(members).filter(([name, value]) => value !== null && !read.includes(name));
  return rest.length > 0 ? { extra: { [FORMAT]: Object.fromEntries(rest) as JsonObject } } : {};
}
