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

type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * The object without its undefined members: what a caller left out is not sent.
 *
 * @example
 * ```ts
 * import { definedMembers } from '@patchbay/core/provider';
 *
 * console.log(definedMembers({ temperature: 0, top_p: undefined })); // { temperature: 0 }
 * ```
 */
export function definedMembers<T extends object>(object: T): Defined<T> {
  const defined: Partial<T> = {};
  for (const name in object) {
    const value = object[name];
    if (value !== undefined) defined[name] = value;
  }
  return defined as unknown as Defined<T>;
}
