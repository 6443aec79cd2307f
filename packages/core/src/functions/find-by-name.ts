import { type FunctionCaller, reachesFunction } from '@patchbay/contracts/base/stored-rows';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { Storage } from '@patchbay/contracts/storage';

/** The longest text that storages compare; a name is shorter. */
export const LONGEST_FOUND = 255;

const MAX_NAMED_IDS = 10;
const MAX_SAME_NAME = 100;

/**
 * The id of the function with this name, else of the one with this key; undefined if the caller reaches none.
 *
 * @throws PatchbayError `ambiguous_function_name` with the ids, if there is more than one.
 */
export async function findByName(storage: Storage, caller: FunctionCaller, name: string): Promise<string | undefined> {
  if (name.length > LONGEST_FOUND) return undefined;
  const { tenant } = caller;
  // A function that the caller reaches may come after others that it does not.
  const page = { order: 'asc', limit: caller.functions ? MAX_SAME_NAME : MAX_NAMED_IDS, counted: false } as const;
  // Each sorted by an indexed field, or else a storage could read all functions.
  const byName = { ...page, where: { name }, sort: 'name', select: ['id', 'name'] } as const;
  const byKey = { ...page, where: { key: name }, sort: 'createdAt', select: ['id', 'createdAt'] } as const;
  for (const read of [
    () => storage.list(tenant, 'functions', byName),
    () => storage.list(tenant, 'functions', byKey),
  ]) {
    const ids = (await read()).rows.map(({ id }) => id).filter((id) => reachesFunction(caller, id));
    if (ids.length > 1) throw ambiguous(name, ids);
    if (ids[0] !== undefined) return ids[0];
  }
  return undefined;
}

function ambiguous(name: string, ids: readonly string[]): PatchbayError {
  return new PatchbayError('ambiguous_function_name', `more than one function is named "${name}": use the id`, {
    errors: ids.map((id) => ({ pointer: '/name', code: 'ambiguous', detail: `is the name of ${id}` })),
    extensions: { ids },
  });
}
