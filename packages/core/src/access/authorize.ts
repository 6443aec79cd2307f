import type { Principal } from '../contracts/context.ts';
import { PatchbayError } from '../contracts/errors.ts';
import { operatorScopes, type Scope } from '../contracts/scopes.ts';

/**
 * Make sure that a caller may do what an operation asks for.
 *
 * @throws PatchbayError `insufficient_scope`, with the missing scope in its extensions.
 *
 * @example
 * ```ts
 * import { authorize } from '@patchbay/core';
 * import type { Principal } from '@patchbay/core/plugin';
 *
 * declare const caller: Principal;
 * authorize(caller, 'functions:execute'); // throws where the caller may not
 * ```
 */
export function authorize(caller: Principal, scope: Scope): void {
  if (hasScope(caller, scope)) return;
  throw new PatchbayError('insufficient_scope', `the credentials lack the scope ${scope}`, { extensions: { scope } });
}

/** Whether a caller has a scope, by its name or by `*`. */
export function hasScope({ scopes }: Pick<Principal, 'scopes'>, scope: string): boolean {
  if (scopes.some((each) => each === scope)) return true;
  return scopes.includes('*') && !operatorScopes.some((each) => each === scope);
}
