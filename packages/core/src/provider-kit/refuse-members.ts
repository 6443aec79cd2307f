import { PatchbayError } from '../contracts/errors.ts';
import { fieldsOf, type JsonFields } from './json-fields.ts';

/**
 * Refuses members of a request that would go past the policies of this server, such as those that name other models. A
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

/** Most bodies have no such name, nor an escape that one could be written with. */
function membersWith(names: readonly string[], body: Uint8Array): JsonFields {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (names.length === 0 || ![...names, '\\u'].some((text) => bytes.includes(text))) return {};
  return fieldsOf(JSON.parse(bytes.toString())) ?? {};
}
