import type { JsonObject } from '@patchbay/core/plugin';
import {
  type ChatRequest,
  type Extra,
  fieldsOf,
  foreignMembers,
  type JsonFields,
  listOf,
  providerError,
} from '@patchbay/core/provider';

/** The name of the Gemini API among the wire formats of `extra`. */
const FORMAT = 'google';

/** The members that a request, a message, a part or a tool has for the Gemini API alone. */
export function vendorMembers({ extra }: { readonly extra?: Extra }): JsonObject {
  return extra?.[FORMAT] ?? {};
}

/** The members of an answer of the Gemini API beyond the common ones, as a member `extra` if there are any. */
export function vendorExtra(members: JsonFields): { readonly extra?: Extra } {
  return Object.keys(members).length > 0 ? { extra: { [FORMAT]: members as JsonObject } } : {};
}

/** One warning for each other wire format that the request has members of. */
export function foreignTo(request: ChatRequest): readonly string[] {
  return foreignMembers(request, (format) => format === FORMAT);
}

/**
 * Refuses members of a request that no caller may set: what is stored at Google under our key, what would lead to
 * another model or price, and what no result could hold.
 *
 * @throws PatchbayError `unsupported_parameter`
 */
export function refuseMembers(provider: string, members: JsonFields): void {
  const { cachedContent, serviceTier, store, generationConfig } = members;
  const { candidateCount, responseModalities, routingConfig, modelSelectionConfig } = fieldsOf(generationConfig) ?? {};
  const refused = {
    cachedContent,
    serviceTier,
    store: store === false ? undefined : store,
    routingConfig,
    modelSelectionConfig,
    candidateCount: candidateCount === 1 ? undefined : candidateCount,
    responseModalities: listOf(responseModalities)?.every((each) => each === 'TEXT') ? undefined : responseModalities,
  };
  const [name] = Object.entries(refused).find(([, value]) => value !== undefined) ?? [];
  if (name !== undefined) throw providerError('unsupported', `${provider} does not support ${name}`);
}

/** Files at Google are stored under our key: an address there could be that of another customer's file. */
export function refuseStored(provider: string, { fileData }: JsonFields): void {
  if (fileData === undefined) return;
  throw providerError('unsupported', `${provider} does not support files by members of its own: send them as files`);
}
