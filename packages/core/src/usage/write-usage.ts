import { PatchbayError } from '../contracts/errors.ts';
import type { UsageEntryRow, UsageHourRow } from '../contracts/rows.ts';
import type { Storage, Write } from '../contracts/storage.ts';
import type { TenantId } from '../contracts/tenant.ts';
import { addEntry, emptyHour, hourOf, hourRowId } from './usage-hours.ts';

/** Writes entries together with the sums that they belong to. */
export interface UsageWriter {
  /** Each entry counts once, also if it is written again after a commit of which nobody knows whether it was done. */
  write(tenant: TenantId, entries: readonly UsageEntryRow[]): Promise<void>;
}

/** Sums that are kept in memory, to be changed without being read first. */
const REMEMBERED = 5_000;

/** Other processes change the same sums; a commit that met a changed one is made anew. */
const TRIES = 20;

export function createUsageWriter(storage: Storage): UsageWriter {
  // As they are on disk. A revision of 0: not there yet.
  const known = new Map<string, UsageHourRow>();

  const read = async (tenant: TenantId, id: string, hour: string, entry: UsageEntryRow): Promise<UsageHourRow> => {
    const row = known.get(id) ?? (await storage.get(tenant, 'usageHours', id)) ?? emptyHour(id, hour, entry);
    known.set(id, row);
    return row;
  };

  const sumsOf = async (tenant: TenantId, entries: readonly UsageEntryRow[]): Promise<readonly UsageHourRow[]> => {
    const sums = new Map<string, UsageHourRow>();
    for (const entry of entries) {
      const hour = hourOf(entry.createdAt);
      const id = hourRowId(tenant, hour, entry);
      sums.set(id, addEntry(sums.get(id) ?? (await read(tenant, id, hour, entry)), entry));
    }
    return [...sums.values()];
  };

  const forgetOldest = (): void => {
    for (const id of known.keys()) {
      if (known.size <= REMEMBERED) return;
      known.delete(id);
    }
  };

  return {
    async write(tenant, entries) {
      for (let tries = 0; tries < TRIES; tries += 1) {
        const sums = await sumsOf(tenant, entries);
        const inserts = entries.map((row): Write => ({ insert: 'usageEntries', row }));
        const result = await storage.commit(tenant, [...inserts, ...sums.map(writeOf)]).catch((error: unknown) => {
          // It may have been done all the same.
          known.clear();
          throw error;
        });
        if (result.done) {
          for (const row of sums) known.set(row.id, { ...row, revision: row.revision + 1 });
          forgetOldest();
          return;
        }
        known.clear();
        // The entry is there, and so are all others of its commit, with their sums.
        if (result.index < inserts.length) return;
      }
      throw new PatchbayError('storage_unavailable', 'the sums of an hour were changed by others all the time');
    },
  };
}

function writeOf(row: UsageHourRow): Write {
  const { id, revision, ...set } = row;
  if (revision === 0) return { insert: 'usageHours', row: { ...row, revision: 1 } };
  return { update: 'usageHours', id, set, ifRevision: revision };
}
