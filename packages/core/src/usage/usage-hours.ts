import { createHash } from 'node:crypto';
import { dayOf, hourOf } from '@patchbay/contracts/base/clock';
import type { Clock } from '@patchbay/contracts/clock';
import { PatchbayError } from '@patchbay/contracts/errors';
import type {
  CallRecordRow,
  UsageAmounts,
  UsageDimensions,
  UsageEntryRow,
  UsageHourRow,
} from '@patchbay/contracts/rows';
import type { Storage, Write } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import { CallHours, callHourWrite } from './call-hours.ts';
import { addAmounts, type UsageWriter } from './usage-ledger.ts';

export const amountNames = [
  'uncachedInputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'outputTokens',
  'reasoningTokens',
  'durationMs',
] as const satisfies readonly (keyof UsageAmounts)[];

/** The dimensions that the calls of one total share. */
function identityOf(tenant: string, hour: string, entry: UsageDimensions): string {
  const { kind, keyId, functionId, model, outcome } = entry;
  return JSON.stringify([tenant, hour, kind, keyId, functionId, model, outcome]);
}

/** The id of the hourly totals that a call belongs to: one row for each combination, in all processes. */
function hourRowId(identity: string): string {
  return `usage_hour_${createHash('sha256').update(identity).digest('hex')}`;
}

/** Empty totals. */
function emptyHour(id: string, hour: string, entry: UsageDimensions): UsageHourRow {
  const { kind, keyId, functionId, model, outcome } = entry;
  const none = Object.fromEntries(amountNames.map((name) => [name, 0])) as unknown as UsageAmounts;
  const counts = { calls: 0, costNanoUsd: 0, unpricedCalls: 0 };
  return { id, revision: 0, hour, kind, keyId, functionId, model, outcome, ...none, ...counts };
}

/** The totals of a batch, while its calls are added. */
type GrowingSums = { -readonly [N in keyof UsageHourRow]: UsageHourRow[N] };

function addEntry(sums: GrowingSums, entry: UsageEntryRow): void {
  const calls = entry.calls ?? 1;
  addAmounts(sums, entry);
  sums.calls += calls;
  sums.costNanoUsd += entry.costNanoUsd ?? 0;
  if (entry.kind === 'model' && entry.costNanoUsd === null) sums.unpricedCalls += calls;
}

/** Totals that are kept in memory, to be changed without being read first. */
const REMEMBERED = 5_000;

/** Other processes change the same totals; a conflicting commit is retried. */
const TRIES = 20;

export function createUsageWriter(storage: Storage, clock: Pick<Clock, 'now'>): UsageWriter {
  // As they are on disk, by what their calls share. A revision of 0: not stored yet.
  const known = new Map<string, UsageHourRow>();
  const callHours = new CallHours();

  const read = async (
    tenant: TenantId,
    identity: string,
    hour: string,
    entry: UsageEntryRow,
  ): Promise<UsageHourRow> => {
    const found = known.get(identity);
    if (found) return found;
    const id = hourRowId(identity);
    const row = (await storage.get(tenant, 'usageHours', id)) ?? emptyHour(id, hour, entry);
    known.set(identity, row);
    return row;
  };

  const sumsOf = async (tenant: TenantId, entries: readonly UsageEntryRow[]): Promise<readonly UsageHourRow[]> => {
    const sums = new Map<string, GrowingSums>();
    for (const entry of entries) {
      const hour = hourOf(entry.createdAt);
      const identity = identityOf(tenant, hour, entry);
      const sum = sums.get(identity) ?? { ...(await read(tenant, identity, hour, entry)) };
      addEntry(sum, entry);
      sums.set(identity, sum);
    }
    return [...sums.values()];
  };

  const forgetOldest = (): void => {
    for (const identity of known.keys()) {
      if (known.size <= REMEMBERED) return;
      known.delete(identity);
    }
  };

  return {
    async write(tenant, rows) {
      const entries = rows.flatMap((each) => (each.collection === 'usageEntries' ? [each.row] : []));
      const calls = rows.flatMap((each) => (each.collection === 'callRecords' ? [each.row] : []));
      const inserts = rows.map(({ collection, row }) => ({ insert: collection, row }) as Write);
      for (let tries = 0; tries < TRIES; tries += 1) {
        const sums = await sumsOf(tenant, entries);
        const hours = callHours.after(tenant, calls);
        const days = pastDays(sums, clock.now()).map((day) => ({ deleteWhere: 'usageDays', where: { day } }) as const);
        const writes = [...inserts, ...sums.map(writeOf), ...hours.map(callHourWrite), ...days];
        const result = await storage.commit(tenant, writes).catch((error: unknown) => {
          // It may have succeeded nevertheless.
          known.clear();
          callHours.forget(tenant);
          throw error;
        });
        if (result.done) {
          for (const row of sums) known.set(identityOf(tenant, row.hour, row), { ...row, revision: row.revision + 1 });
          callHours.keep(tenant, hours);
          forgetOldest();
          return;
        }
        known.clear();
        const taken = rows[result.index];
        if (!taken) continue;
        const earlier = taken.collection === 'callRecords' ? await earlierRun(storage, tenant, taken.row) : undefined;
        // The row is stored, and so are all others of its commit, with their totals.
        if (!earlier) return;
        inserts[result.index] = earlier;
      }
      throw new PatchbayError('storage_unavailable', 'too many concurrent changes to the hourly totals');
    },
  };
}

/** The days that are over, in UTC: their totals may already be stored, without these. */
function pastDays(sums: readonly UsageHourRow[], now: number): readonly string[] {
  const today = dayOf(new Date(now).toISOString());
  return [...new Set(sums.map(({ hour }) => dayOf(hour)))].filter((day) => day < today);
}

/**
 * The change of a record of an execution that was run before, and is now run again. Undefined if the record is this
 * one.
 */
async function earlierRun(storage: Storage, tenant: TenantId, record: CallRecordRow): Promise<Write | undefined> {
  const { id, revision: _, ...set } = record;
  const found = await storage.get(tenant, 'callRecords', id);
  return found && found.requestId === set.requestId ? undefined : { update: 'callRecords', id, set };
}

/** For an existing row, only the totals: for each given column, a storage rewrites its index entries. */
function writeOf(row: UsageHourRow): Write {
  const { id, revision, calls, costNanoUsd, unpricedCalls } = row;
  if (revision === 0) return { insert: 'usageHours', row: { ...row, revision: 1 } };
  const set = { ...amountsOf(row), calls, costNanoUsd, unpricedCalls };
  return { update: 'usageHours', id, set, ifRevision: revision };
}

function amountsOf(amounts: UsageAmounts): UsageAmounts {
  const { uncachedInputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens, durationMs } = amounts;
  return { uncachedInputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens, durationMs };
}
