/** An object of unknown origin: nothing is known about its members. */
export type JsonFields = Readonly<Record<string, unknown>>;

/**
 * The value as an object, or undefined if it is not one.
 *
 * @example
 * ```ts
 * import { fieldsOf } from '@patchbay/core/provider';
 *
 * const answer: unknown = JSON.parse('{"usage": {"tokens": 3}}');
 * console.log(fieldsOf(fieldsOf(answer)?.['usage'])?.['tokens']); // 3
 * ```
 */
export function fieldsOf(value: unknown): JsonFields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonFields) : undefined;
}

/**
 * The value as a list, or undefined if it is not one.
 *
 * @example
 * ```ts
 * import { listOf } from '@patchbay/core/provider';
 *
 * console.log(listOf([1, 2])?.length, listOf('no list')); // 2 undefined
 * ```
 */
export function listOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/**
 * The value as a string, or undefined if it is not one.
 *
 * @example
 * ```ts
 * import { textOf } from '@patchbay/core/provider';
 *
 * console.log(textOf('a text'), textOf(7)); // a text undefined
 * ```
 */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
