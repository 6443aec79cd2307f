import type { FunctionRow } from '../../contracts/rows.ts';
import { callNames } from './call-names.ts';
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
