import { dayOf } from '@patchbay/contracts/base/clock';
import { newId } from '@patchbay/contracts/base/type-id';
import type { Clock } from '@patchbay/contracts/clock';
import type { UsageDayRow, UsageDimensions, UsageHourRow, UsageTotals } from '@patchbay/contracts/rows';
import type { Storage, Write } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import { hourPages } from './hour-pages.ts';
import { addToGroup, type GrowingTotals, totalsOf } from './usage-totals.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Servers write usage of a day until it has ended, and a while longer if their clocks differ; later, only delayed
 * usage.
 */
const SETTLED_MS = HOUR_MS;

const PAGE = 100;

/** Totals for one combination of dimensions in one hour, or for one value of one dimension on one day. */
export interface UsageSum {
  readonly at: UsageDimensions & Pick<UsageHourRow, 'hour'>;
  readonly totals: UsageTotals;
}

interface UsageDaysDependencies {
  readonly storage: Storage;
  readonly clock: Pick<Clock, 'now'>;
  /**
   * For a day with more values of the dimension, the hours are read each time: its row would be too large. Default
   * 5,000.
   */
  readonly mostValues?: number;
}

interface DaysQuery {
  /** Start of the first hour, and of the first one that no longer counts. ISO 8601. */
  readonly from: string;
  readonly to: string;
  /** The other dimensions are empty in daily totals. Undefined: only hours are read. */
  readonly dimension: UsageDayRow['dimension'] | undefined;
}

/**
 * The usage of a tenant between two hours, in order: as totals of completed days, and of the hours before and after
 * them. The totals of a day are stored when they are read for the first time, and deleted if usage of that day is
 * written after all.
 */
export async function* usageBetween(
  { storage, clock, mostValues = 5_000 }: UsageDaysDependencies,
  tenant: TenantId,
  { from, to, dimension }: DaysQuery,
): AsyncGenerator<UsageSum> {
  let start = from;
  if (dimension !== undefined) {
    const until = Math.min(Date.parse(to), clock.now() - SETTLED_MS);
    const days = await keptDays(storage, tenant, dimension, await firstDay(storage, tenant, from), until);
    for (const { day, row } of days) {
      yield* hoursBetween(storage, tenant, start, day);
      const begun = row ?? { id: newId('usage_day'), revision: 0, day, dimension, sums: null };
      const sums = begun.sums ?? (await keepDay(storage, tenant, begun, mostValues));
      for (const [value, totals] of sums) yield { at: { ...anything, [dimension]: value, hour: day }, totals };
      start = iso(Date.parse(day) + DAY_MS);
    }
  }
  yield* hoursBetween(storage, tenant, start, to);
}

const anything: UsageDimensions = { kind: 'model', keyId: '', functionId: '', model: '', outcome: 'completed' };

async function* hoursBetween(storage: Storage, tenant: TenantId, from: string, to: string): AsyncGenerator<UsageSum> {
  if (from >= to) return;
  for await (const row of hourPages(storage, 'usageHours', tenant, {}, from)) {
    if (row.hour >= to) return;
    yield { at: row, totals: totalsOf(row) };
  }
}

/** The first whole day from a time on that has any usage; before it, there is nothing to keep. */
async function firstDay(storage: Storage, tenant: TenantId, from: string): Promise<number> {
  const query = { sort: 'hour', order: 'asc', from, limit: 1, select: ['id', 'hour'] } as const;
  const { rows } = await storage.list(tenant, 'usageHours', query);
  const [first] = rows;
  if (first === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(Math.ceil(Date.parse(from) / DAY_MS) * DAY_MS, Date.parse(dayOf(first.hour)));
}

/** Each whole day between two times, with its row if there is one. */
async function keptDays(
  storage: Storage,
  tenant: TenantId,
  dimension: UsageDayRow['dimension'],
  from: number,
  until: number,
): Promise<readonly { readonly day: string; readonly row: UsageDayRow | undefined }[]> {
  if (from + DAY_MS > until) return [];
  const rows = new Map<string, UsageDayRow>();
  const query = { where: { dimension }, sort: 'day', order: 'asc', limit: PAGE } as const;
  for (let after = { value: iso(from), id: '' }; ; ) {
    const page = await storage.list(tenant, 'usageDays', { ...query, after });
    // Two readers may have kept the same day.
    for (const row of page.rows) if (!rows.get(row.day)?.sums) rows.set(row.day, row);
    const last = page.rows.at(-1);
    if (last === undefined || page.rows.length < PAGE || Date.parse(last.day) >= until) break;
    after = { value: last.day, id: last.id };
  }
  const days: { readonly day: string; readonly row: UsageDayRow | undefined }[] = [];
  for (let start = from; start + DAY_MS <= until; start += DAY_MS) {
    const day = iso(start);
    days.push({ day, row: rows.get(day) });
  }
  return days;
}

/**
 * The totals of a day, from its hours. Its row is inserted before they are read: usage that is written meanwhile
 * deletes it, so that totals without that usage are not kept.
 *
 * @param begun With the revision 0 if it is not stored yet.
 */
async function keepDay(
  storage: Storage,
  tenant: TenantId,
  begun: UsageDayRow,
  mostValues: number,
): Promise<NonNullable<UsageDayRow['sums']>> {
  // Totals that a loss of power undoes are recomputed. A storage that cannot be written to can still be read.
  const keep = async (write: Write) =>
    void (await storage.commit(tenant, [write], { survives: 'crash' }).catch(() => undefined));
  const row = { ...begun, revision: Math.max(1, begun.revision) };
  if (begun.revision === 0) await keep({ insert: 'usageDays', row });
  const groups = new Map<string, GrowingTotals>();
  for await (const { at, totals } of hoursBetween(storage, tenant, row.day, iso(Date.parse(row.day) + DAY_MS)))
    addToGroup(groups, at[row.dimension], totals);
  const sums = [...groups];
  if (sums.length <= mostValues)
    await keep({ update: 'usageDays', id: row.id, set: { sums }, ifRevision: row.revision });
  return sums;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
