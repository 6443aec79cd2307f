import type { Principal } from '../contracts/context.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { Scope } from './scopes.ts';

/**
 * Make sure that a caller may do what an operation asks for.
 *
 * @throws PatchbayError `insufficient_scope`, with the missing scope in its extensions.
 */
export function authorize(caller: Principal, scope: Scope): void {
  if (caller.scopes.includes(scope) || caller.scopes.includes('*')) return;
  throw new PatchbayError('insufficient_scope', `the credentials lack the scope ${scope}`, { extensions: { scope } });
}
