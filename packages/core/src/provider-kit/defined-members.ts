type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * The object without the members that are undefined: what a caller left out is not sent.
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
  for (const name of Object.keys(object) as (keyof T)[]) if (object[name] !== undefined) defined[name] = object[name];
  return defined as unknown as Defined<T>;
}
