/**
 * An object that stays the same while what it stands for is replaced: each member is looked up when it is asked for.
 *
 * @param current What it stands for now. It has the same members each time.
 */
export function standIn<T extends object>(keys: readonly (keyof T & string)[], current: () => T): T {
  const members = keys.map((key) => [key, { enumerable: true, get: () => current()[key] }] as const);
  return Object.defineProperties({}, Object.fromEntries(members)) as T;
}
