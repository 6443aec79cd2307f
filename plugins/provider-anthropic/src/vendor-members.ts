import type { JsonObject } from '@patchbay/core/plugin';
import {
  type ChatRequest,
  type Extra,
  fieldsOf,
  foreignMembers,
  type JsonFields,
  providerError,
} from '@patchbay/core/provider';

/** The name of the Messages API among the wire formats of `extra`. */
const FORMAT = 'anthropic-messages';

/** The members that a request, a message, a part or a tool has for the Messages API alone. */
export function vendorMembers({ extra }: { readonly extra?: Extra }): JsonObject {
  return extra?.[FORMAT] ?? {};
}

/** One warning for each other wire format that the request has members of. */
export function foreignTo(request: ChatRequest): readonly string[] {
  return foreignMembers(request, (format) => format === FORMAT);
}

/** Members of a request with which another model answers, or another organization pays. */
export const refusedOfAll = ['billing_policy', 'fallback_credit_token', 'fallbacks'];

/** Those of a request that is not forwarded: what is stored or runs at Anthropic under our key, and another price. */
export const refused = [...refusedOfAll, 'container', 'diagnostics', 'mcp_servers', 'speed', 'thread'];

/** Files at Anthropic are stored under our key: an id could be that of another customer's file. */
export function refuseStored(provider: string, { type, source, file_id: id }: JsonFields): void {
  if (type !== 'container_upload' && id === undefined && fieldsOf(source)?.['file_id'] === undefined) return;
  throw providerError('unsupported', `${provider} does not support files by their id: send the file itself`);
}

/**
 * The members of an answer of the Messages API beyond the common ones, as a member `extra` if there are any.
 *
 * @param read Names of the members that are read otherwise.
 */
export function vendorExtra(members: JsonFields, read: readonly string[]): { readonly extra?: Extra } {
  // The API writes null for absent values.
  const rest = Object.entries(members).filter(([name, value]) => value !== null && !read.includes(name));
  return rest.length > 0 ? { extra: { [FORMAT]: Object.fromEntries(rest) as JsonObject } } : {};
}
