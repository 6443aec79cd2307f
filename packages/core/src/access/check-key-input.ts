import type { Principal } from '../contracts/context.ts';
import { type ErrorDetail, PatchbayError } from '../contracts/errors.ts';
import { isAddressRange } from '../egress/address-range.ts';
import { hasScope } from './authorize.ts';
import { faultsBeyond, type KeyLimits } from './handed-limits.ts';
import type { KeyInput } from './key-service.ts';

/**
 * A caller hands out no more than it has.
 *
 * @throws PatchbayError `insufficient_scope` with a pointer to each scope that the caller lacks.
 */
export function checkScopes(scopes: readonly string[], caller: Principal): void {
  const errors = scopes.flatMap((scope, index) => {
    if (hasScope(caller, scope)) return [];
    return [
      { pointer: `/scopes/${index}`, code: 'insufficient_scope', detail: 'is not among the scopes of the caller' },
    ];
  });
  if (errors.length === 0) return;
  throw new PatchbayError('insufficient_scope', 'nobody can give a key more scopes than they have', { errors });
}

/**
 * What a schema cannot say about a new key: that it ends in the future, that its addresses are some, and that it is
 * limited at least as much as the caller. What is left out is as with the caller.
 *
 * @throws PatchbayError `invalid_request`.
 */
export function checkKeyInput(
  input: KeyInput,
  { now, caller, own, standard }: { readonly now: number } & Parameters<typeof faultsBeyond>[1],
): KeyLimits {
  const addresses = (input.ipAddresses ?? []).flatMap((range, index): ErrorDetail[] => {
    if (isAddressRange(range)) return [];
    const detail = 'must be an IPv4 or IPv6 address, or a network such as 10.0.0.0/8';
    return [{ pointer: `/ipAddresses/${index}`, code: 'ip_address', detail }];
  });
  const end = input.expiresAt == null ? undefined : Date.parse(input.expiresAt);
  const time: ErrorDetail[] = [];
  const fault = (code: string, detail: string) => time.push({ pointer: '/expiresAt', code, detail });
  if (Number.isNaN(end)) fault('time', 'must be a time such as 2027-01-31T12:00:00Z');
  else if (end !== undefined && end <= now) fault('past', 'must be in the future');

  const limits: KeyLimits = {
    expiresAt: end === undefined || time.length > 0 ? own.expiresAt : new Date(end).toISOString(),
    ipAddresses: addresses.length > 0 ? own.ipAddresses : (input.ipAddresses ?? own.ipAddresses),
    rateLimit: input.rateLimit ?? own.rateLimit,
    budget: input.budget ?? own.budget,
  };
  const errors = [...addresses, ...time, ...faultsBeyond(limits, { caller, own, standard })];
  if (errors.length > 0) throw new PatchbayError('invalid_request', 'the key cannot be made like this', { errors });
  return limits;
}
