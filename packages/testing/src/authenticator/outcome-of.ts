import assert from 'node:assert/strict';
import { type Authenticator, PatchbayError, type Principal } from '@patchbay/core/plugin';

const refusals: ReadonlySet<string> = new Set([
  'invalid_token',
  'token_expired',
  'key_revoked',
  'address_not_allowed',
  'authentication_unavailable',
]);

/** The principal behind a token, or the code of the refusal; `unknown` for a token of another kind. */
export async function outcomeOf(
  authenticator: Pick<Authenticator, 'authenticate'>,
  token: string,
): Promise<Principal | string> {
  try {
    return (await authenticator.authenticate({ token, remoteAddress: '127.0.0.1' })) ?? 'unknown';
  } catch (error) {
    assert.ok(PatchbayError.is(error), `a refusal is a PatchbayError, and not ${String(error)}`);
    assert.ok(refusals.has(error.code), `${error.code} is not a refusal of an authenticator`);
    const told = JSON.stringify([error.message, error.errors, error.extensions]);
    assert.ok(token.length < 12 || !told.includes(token), 'a refusal does not repeat the token');
    return error.code;
  }
}

/** A token that this authenticator rejects. */
export async function assertRefused(
  authenticator: Pick<Authenticator, 'authenticate'>,
  token: string,
  what: string,
): Promise<void> {
  const outcome = await outcomeOf(authenticator, token);
  assert.ok(outcome === 'unknown' || outcome === 'invalid_token', `${what}: ${JSON.stringify(outcome)}`);
}
