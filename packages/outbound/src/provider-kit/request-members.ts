import { PatchbayError } from '@patchbay/contracts/errors';
import type { Extra } from '@patchbay/contracts/message';
import type { ChatRequest } from '@patchbay/contracts/provider';
import { fieldsOf, type JsonFields } from './json-fields.ts';

/**
 * One sentence for each wire format whose members in `extra` an adapter does not send: those of the request, its tools,
 * its messages and their parts.
 *
 * @param isSent Whether the adapter sends a member of that format.
 *
 * @example
 * ```ts
 * import { type ChatRequest, foreignMembers } from '@patchbay/core/provider';
 *
 * export const warningsOf = (request: ChatRequest) => foreignMembers(request, (format) => format === 'acme');
 * ```
 */
export function foreignMembers(
  request: ChatRequest,
  isSent: (format: string, member: string) => boolean,
): readonly string[] {
  const foreign = new Map<string, Set<string>>();
  const note = ({ extra }: { readonly extra?: Extra }): void => {
    if (!extra) return;
    for (const [format, members] of Object.entries(extra)) {
      const unsent = Object.keys(members).filter((member) => !isSent(format, member));
      if (unsent.length > 0) foreign.set(format, new Set([...(foreign.get(format) ?? []), ...unsent]));
    }
  };
  note(request);
  request.tools?.forEach(note);
  for (const message of request.messages) {
    note(message);
    if (typeof message.content !== 'string') message.content.forEach(note);
  }
  if (foreign.size === 0) return [];
  return [...foreign].map(
    ([format, members]) => `members that only ${format} has were not sent: ${[...members].join(', ')}`,
  );
}

/**
 * Refuses members of a request that would bypass the policies of this server, such as those that name other models. A
 * body that is forwarded is read only where it could have one of them.
 *
 * @param provider Name of the provider, for the message.
 * @throws PatchbayError `unsupported_parameter`
 *
 * @example
 * ```ts
 * import { type ForwardRequest, refuseMembers } from '@patchbay/core/provider';
 *
 * export const check = ({ body }: ForwardRequest) => refuseMembers('acme', body, ['models']);
 * ```
 */
export function refuseMembers(provider: string, request: JsonFields | Uint8Array, refused: readonly string[]): void {
  const members = request instanceof Uint8Array ? membersWith(refused, request) : request;
  const found = refused.find((name) => members[name] !== undefined && members[name] !== null);
  if (found === undefined) return;
  const errors = [{ pointer: `/${found}`, code: 'unsupported_parameter', detail: 'is not accepted here' }];
  const upstream = { kind: 'unsupported', unsent: true } as const;
  const message = `${provider} accepts no ${found} here: it would go past the policies of this server`;
  throw new PatchbayError('unsupported_parameter', message, { errors, upstream });
}

/** Most bodies contain no such name, nor an escape with which one could be written. */
function membersWith(names: readonly string[], body: Uint8Array): JsonFields {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (names.length === 0 || ![...names, '\\u'].some((text) => bytes.includes(text))) return {};
  return fieldsOf(JSON.parse(bytes.toString())) ?? {};
}
