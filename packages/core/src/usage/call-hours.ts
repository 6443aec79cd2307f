import { hourOf } from '@patchbay/contracts/base/clock';
import { newId } from '@patchbay/contracts/base/type-id';
import type { CallHourRow, CallRecordRow } from '@patchbay/contracts/rows';
import type { Write } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';

/** Ranges in which durations are counted: the longest duration of a range is a twelfth longer than its shortest. */
const RANGES_PER_DOUBLING = 8;

function rangeOf(durationMs: number): number {
  return Math.round(RANGES_PER_DOUBLING * Math.log2(Math.max(1, durationMs)));
}

/** Quantiles of counted durations, in milliseconds, as exact as the ranges. */
export function quantilesOf<const Q extends readonly number[]>(
  durations: CallHourRow['durations'],
  quantiles: Q,
): { readonly [I in keyof Q]: number } {
  const sorted = Object.entries(durations)
    .map(([range, count]) => ({ range: Number(range), count }))
    .toSorted((one, other) => one.range - other.range);
  const total = sorted.reduce((sum, { count }) => sum + count, 0);
  const valueAt = (quantile: number): number => {
    let counted = 0;
    for (const { range, count } of sorted) {
      counted += count;
      if (counted >= quantile * total) return Math.round(2 ** (range / RANGES_PER_DOUBLING));
    }
    return 0;
  };
  return quantiles.map(valueAt) as { [I in keyof Q]: number };
}

/** The totals of an hour, while calls are added. */
type GrowingHour = { -readonly [F in Exclude<keyof CallHourRow, 'durations'>]: CallHourRow[F] } & {
  readonly durations: Record<string, number>;
};

/** An empty one. A revision of 0: not on disk. */
export function emptyCallHour(hour: string): GrowingHour {
  const counts = { calls: 0, repaired: 0, failed: 0, cancelled: 0, cached: 0, costNanoUsd: 0 };
  return { id: newId('call_hour'), revision: 0, hour, ...counts, durations: {} };
}

/** Add the sums of one row to another. */
export function addCallHour(sums: GrowingHour, row: CallHourRow): void {
  for (const name of ['calls', 'repaired', 'failed', 'cancelled', 'cached', 'costNanoUsd'] as const) {
    sums[name] += row[name];
  }
  for (const [range, count] of Object.entries(row.durations)) {
    sums.durations[range] = (sums.durations[range] ?? 0) + count;
  }
}

function addCall(sums: GrowingHour, { outcome, costNanoUsd, durationMs }: CallRecordRow): void {
  sums.calls += 1;
  if (outcome !== 'completed') sums[outcome] += 1;
  sums.costNanoUsd += costNanoUsd ?? 0;
  const range = rangeOf(durationMs);
  sums.durations[range] = (sums.durations[range] ?? 0) + 1;
}

/** Tenants whose totals are kept in memory; a new row is begun for a tenant that was evicted. */
const REMEMBERED = 1_000;

/** Hourly totals of calls, in rows that no other server changes. */
export class CallHours {
  /** The newest row of each tenant, as it is on disk. */
  readonly #known = new Map<TenantId, CallHourRow>();

  /** The rows with these calls added. A call made by another call is part of that one. */
  after(tenant: TenantId, calls: readonly CallRecordRow[]): readonly CallHourRow[] {
    const rows = new Map<string, GrowingHour>();
    for (const call of calls) {
      if (call.parentId !== null) continue;
      const hour = hourOf(call.createdAt);
      const sums = rows.get(hour) ?? this.#before(tenant, hour);
      addCall(sums, call);
      rows.set(hour, sums);
    }
    return [...rows.values()];
  }

  #before(tenant: TenantId, hour: string): GrowingHour {
    const known = this.#known.get(tenant);
    return known?.hour === hour ? { ...known, durations: { ...known.durations } } : emptyCallHour(hour);
  }

  /** They are on disk. */
  keep(tenant: TenantId, rows: readonly CallHourRow[]): void {
    const newest = rows.at(-1);
    if (newest === undefined) return;
    if (this.#known.size >= REMEMBERED) this.#known.clear();
    this.#known.set(tenant, { ...newest, revision: newest.revision + 1 });
  }

  /** They may or may not be on disk: further calls go into another row. */
  forget(tenant: TenantId): void {
    this.#known.delete(tenant);
  }
}

export function callHourWrite(row: CallHourRow): Write {
  const { id, revision, hour: _, ...set } = row;
  if (revision === 0) return { insert: 'callHours', row: { ...row, revision: 1 } };
  return { update: 'callHours', id, set, ifRevision: revision };
}
