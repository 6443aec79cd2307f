import { PatchbayError } from '../contracts/errors.ts';
import type { Tool } from '../contracts/provider.ts';

/**
 * Make sure that a model can tell the functions of a request apart.
 *
 * @throws PatchbayError `invalid_request` when two functions have one name: nobody could tell which is meant.
 *
 * @example
 * ```ts
 * import { checkFunctionNames } from '@patchbay/core';
 *
 * checkFunctionNames([{ name: 'weather', description: 'The weather.', parameters: { type: 'object' } }]);
 * ```
 */
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
