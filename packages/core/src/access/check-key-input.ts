import type { Principal } from '../contracts/context.ts';
import { type ErrorDetail, PatchbayError } from '../contracts/errors.ts';
import { isAddressRange } from './address-filter.ts';
import { hasScope } from './authorize.ts';
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
 * What a schema cannot say about a new key: that it ends in the future, and not after the key it is made with, and that
 * its addresses are some.
 *
 * @returns the time at which the key ends.
 * @throws PatchbayError `invalid_request`.
 */
export function checkKeyInput(
  { expiresAt, ipAddresses }: KeyInput,
  { now, latest }: { readonly now: number; readonly latest: string | null },
): string | null {
  const errors: ErrorDetail[] = (ipAddresses ?? []).flatMap((range, index) => {
    if (isAddressRange(range)) return [];
    const detail = 'must be an IPv4 or IPv6 address, or a network such as 10.0.0.0/8';
    return [{ pointer: `/ipAddresses/${index}`, code: 'ip_address', detail }];
  });
  const fault = (code: string, detail: string) => errors.push({ pointer: '/expiresAt', code, detail });
  const end = expiresAt == null ? undefined : Date.parse(expiresAt);
  if (end !== undefined) {
    if (Number.isNaN(end)) fault('time', 'must be a time such as 2027-01-31T12:00:00Z');
    else if (end <= now) fault('past', 'must be in the future');
    else if (latest !== null && end > Date.parse(latest))
      fault('too_late', `must not be after ${latest}, when the key of the caller ends`);
  }
  if (errors.length > 0) throw new PatchbayError('invalid_request', 'the key cannot be made like this', { errors });
  return end === undefined ? latest : new Date(end).toISOString();
}
