import { PatchbayError } from '../contracts/errors.ts';
import type { Storage } from '../contracts/storage.ts';
import type { TenantId } from '../contracts/tenant.ts';

/** The longest text that storages compare; a name is shorter. */
const LONGEST = 255;

const MAX_NAMED_IDS = 10;

/**
 * The id of the function with this name, else of the one with this key; undefined where there is none.
 *
 * @throws PatchbayError `ambiguous_function_name` with the ids, where there is more than one.
 */
export async function findByName(storage: Storage, tenant: TenantId, name: string): Promise<string | undefined> {
  if (name.length > LONGEST) return undefined;
  const page = { order: 'asc', limit: MAX_NAMED_IDS } as const;
  // Each sorted by an indexed field, or else a storage could read all functions.
  const byName = { ...page, where: { name }, sort: 'name', select: ['id', 'name'] } as const;
  const byKey = { ...page, where: { key: name }, sort: 'createdAt', select: ['id', 'createdAt'] } as const;
  for (const read of [
    () => storage.list(tenant, 'functions', byName),
    () => storage.list(tenant, 'functions', byKey),
  ]) {
    const { rows } = await read();
    if (rows.length > 1) {
      throw ambiguous(
        name,
        rows.map(({ id }) => id),
      );
    }
    if (rows[0]) return rows[0].id;
  }
  return undefined;
}

function ambiguous(name: string, ids: readonly string[]): PatchbayError {
  return new PatchbayError('ambiguous_function_name', `more than one function is named "${name}": use the id`, {
    errors: ids.map((id) => ({ pointer: '/name', code: 'ambiguous', detail: `is the name of ${id}` })),
    extensions: { ids },
  });
}
