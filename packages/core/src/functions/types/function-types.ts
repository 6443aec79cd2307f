import type { FunctionRow } from '@patchbay/contracts/rows';
import { declareFunctions, type FunctionDeclarations } from './declare-functions.ts';

type TypedFunction = Pick<FunctionRow, 'id' | 'name' | 'key' | 'description' | 'input' | 'output'>;

interface FunctionTypes extends FunctionDeclarations {
  /** The functions that share their name with others, or have a reserved one. */
  readonly leftOut: readonly { readonly row: TypedFunction; readonly why: string }[];
}

/**
 * TypeScript declarations of all functions of a tenant, for code that calls them by name.
 *
 * @param isReserved Whether a name cannot be that of a function.
 *
 * @example
 * ```ts
 * import { functionTypes } from '@patchbay/core';
 * import type { FunctionRow } from '@patchbay/core/storage';
 *
 * export const typesOf = (rows: readonly FunctionRow[]) => functionTypes(rows, (name) => name === 'then').functions;
 * ```
 */
export function functionTypes(rows: readonly TypedFunction[], isReserved: (name: string) => boolean): FunctionTypes {
  const names = callNames(rows);
  const leftOut: FunctionTypes['leftOut'][number][] = [];
  const typed = rows.flatMap((row) => {
    const callName = names.get(row.id);
    if (callName !== undefined && !isReserved(callName)) return [{ ...row, callName }];
    leftOut.push({ row, why: callName === undefined ? 'others have its name as well' : 'its name is reserved' });
    return [];
  });
  return { ...declareFunctions(typed, 'value'), leftOut };
}

/**
 * The identifier by which a call reaches each of these functions, or else its name: servers look for names first. All
 * functions of a tenant must be given; functions that share their name with others have none.
 */
export function callNames(rows: readonly Pick<FunctionRow, 'id' | 'name' | 'key'>[]): ReadonlyMap<string, string> {
  const byName = countBy(rows.map(({ name }) => name));
  const byKey = countBy(rows.flatMap(({ key }) => (key ? [key] : [])));
  const names = new Map<string, string>();
  for (const { id, name, key } of rows) {
    const isOwnName = key === name && byName.get(name) === 1;
    if (key && (isOwnName || (!byName.has(key) && byKey.get(key) === 1))) names.set(id, key);
    else if (byName.get(name) === 1) names.set(id, name);
  }
  return names;
}

function countBy(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
