import { PatchbayError } from '../contracts/errors.ts';

/** Whether a storage refused what it was given, and would again. Otherwise it is away, and may accept the same later. */
export function isRejectedByStorage(error: unknown): boolean {
  return !PatchbayError.is(error);
}
