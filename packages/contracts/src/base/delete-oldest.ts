import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Collection, Rows, SortField } from '../rows.ts';
import type { Storage, Write } from '../storage.ts';

/** Rows that are read, and deleted, at once: few enough that no request waits for them. */
const BATCH = 100;

/**
 * Delete the oldest rows of all tenants, in steps between which requests are served, and return how many. Another
 * server may do the same: rows that it deleted first are gone either way.
 *
 * @param sort The field that makes a row old.
 * @param writesOf Deletes a row, and what belongs to it.
 */
export async function deleteOldest<C extends Collection>(
  storage: Pick<Storage, 'scanAllTenants' | 'commit'>,
  { collection, sort }: { readonly collection: C; readonly sort: SortField<C> },
  isOld: (row: Rows[C]) => boolean,
  writesOf: (row: Rows[C]) => readonly Write[],
): Promise<number> {
  let count = 0;
  for (;;) {
    const oldest = await storage.scanAllTenants(collection, {}, BATCH, sort);
    const old = oldest.filter(({ row }) => isOld(row));
    await Promise.all(old.map(async ({ tenant, row }) => await storage.commit(tenant, writesOf(row))));
    count += old.length;
    if (old.length < BATCH) return count;
    await nextTurn();
  }
}
