import { typeidUnboxed } from 'typeid-js';

/**
 * Make an identifier: a TypeID, `prefix_` and 26 characters that hold a UUIDv7.
 *
 * Ids of one process grow strictly, also within one millisecond, so that "ties by id" in a list means "by age". (A
 * system clock that is set back by more than ten seconds breaks that once.) Callers never parse an id.
 *
 * @example
 * ```ts
 * import { newId } from '@patchbay/core';
 *
 * const id = newId('function'); // function_01h2xcejqtf2nbrexx3vqjhp41
 * ```
 *
 * @throws Error where `prefix` is not 1 to 63 characters out of a-z and inner underscores.
 */
export function newId(prefix: string): string {
  return typeidUnboxed(prefix);
}
