import { PatchbayError } from '../contracts/errors.ts';
import type { Tool } from '../contracts/provider.ts';

/** @throws PatchbayError `invalid_request` when two functions have one name: nobody could tell which is meant. */
export function checkFunctionNames(functions: readonly Tool[]): void {
  const seen = new Set<string>();
  const errors = functions.flatMap(({ name }, index) => {
    const isNew = !seen.has(name);
    seen.add(name);
    return isNew
      ? []
      : [{ pointer: `/functions/${index}/name`, code: 'duplicate', detail: 'is the name of another function' }];
  });
  if (errors.length > 0)
    throw new PatchbayError('invalid_request', 'the body does not have the documented shape', { errors });
}
