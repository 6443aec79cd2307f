import type { Principal } from '../context.ts';
import { PatchbayError } from '../errors.ts';

/** A caller, as far as its functions are concerned. */
export type FunctionCaller = Pick<Principal, 'tenant' | 'functions'>;

/** Whether a function exists for a caller: others than those of its allow list do not, like those of other tenants. */
export function reachesFunction({ functions }: Pick<Principal, 'functions'>, id: string): boolean {
  return functions === undefined || functions.includes(id);
}

/**
 * Refuse callers with an allow list what reaches beyond single functions.
 *
 * @throws PatchbayError `insufficient_scope`.
 */
export function requireAllFunctions({ functions }: Pick<Principal, 'functions'>): void {
  if (functions === undefined) return;
  throw new PatchbayError('insufficient_scope', 'the credentials are limited to some functions');
}
