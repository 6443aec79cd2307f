import type { Principal } from '../context.ts';
import { PatchbayError } from '../errors.ts';

/** A caller, as far as its functions are concerned. */
export type FunctionCaller = Pick<Principal, 'tenant' | 'functions'>;

/**
 * Whether a function exists for a caller: functions outside its allow list do not, just like those of other tenants.
 */
export function reachesFunction({ functions }: Pick<Principal, 'functions'>, id: string): boolean {
  return functions === undefined || functions.includes(id);
}

/**
 * Reject callers with an allow list, for operations that reach beyond single functions.
 *
 * @throws PatchbayError `insufficient_scope`.
 */
export function requireAllFunctions({ functions }: Pick<Principal, 'functions'>): void {
  if (functions === undefined) return;
  throw new PatchbayError('insufficient_scope', 'the credentials are limited to some functions');
}
