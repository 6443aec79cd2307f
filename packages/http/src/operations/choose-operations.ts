import { didYouMean } from '@patchbay/core';
import type { Operation } from '../operation.ts';
import { type OperationId, operations } from './operations.ts';

/**
 * The rows of the table that a host asked for, by themselves or by their ids.
 *
 * @throws TypeError for an id that no row has.
 */
export function chooseOperations(chosen: readonly (Operation | OperationId)[]): readonly Operation[] {
  return chosen.map((each) => {
    if (typeof each !== 'string') return each;
    const found = operations.find(({ id }) => id === each);
    if (found) return found;
    // Callers without types get here.
    const ids = operations.map(({ id }) => id).toSorted();
    throw new TypeError(`there is no operation ${each}${didYouMean(each, ids) || `; there are ${ids.join(', ')}`}`);
  });
}
