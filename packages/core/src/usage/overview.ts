import type { RequestContext } from '@patchbay/contracts/context';
import type { CallHourRow } from '@patchbay/contracts/rows';
import type { Storage } from '@patchbay/contracts/storage';
import { addCallHour, emptyCallHour, quantilesOf } from './call-hours.ts';
import { hourPages } from './hour-pages.ts';

export interface OverviewQuery {
  /** Start of the first hour, and of the first one that no longer counts. ISO 8601. */
  readonly from: string;
  readonly to: string;
  readonly by: 'hour' | 'day';
}

/** How many calls there were, how they ended, and how long they took. */
interface CallSums extends Pick<CallHourRow, 'calls' | 'repaired' | 'failed' | 'cancelled' | 'cached' | 'costNanoUsd'> {
  /** Milliseconds, within about 5 %. Null without calls. */
  readonly durationMs: { readonly p50: number; readonly p95: number; readonly p99: number } | null;
}

export interface Overview {
  readonly total: CallSums;
  /** Those with calls, in order. */
  readonly periods: readonly (CallSums & { readonly start: string })[];
}

const DAY = 'YYYY-MM-DD'.length;

/** Calls of a tenant over time. The cost depends on the hours, not on the calls. */
export async function readOverview(
  storage: Storage,
  { from, to, by }: OverviewQuery,
  { caller: { tenant } }: Pick<RequestContext, 'caller'>,
): Promise<Overview> {
  const total = emptyCallHour(from);
  const periods = new Map<string, ReturnType<typeof emptyCallHour>>();
  for await (const row of hourPages(storage, 'callHours', tenant, {}, from)) {
    if (row.hour >= to) break;
    const start = by === 'hour' ? row.hour : `${row.hour.slice(0, DAY)}T00:00:00.000Z`;
    const sums = periods.get(start) ?? emptyCallHour(start);
    periods.set(start, sums);
    addCallHour(sums, row);
    addCallHour(total, row);
  }
  return {
    total: sumsOf(total),
    periods: [...periods].map(([start, sums]) => ({ start, ...sumsOf(sums) })),
  };
}

function sumsOf({ calls, repaired, failed, cancelled, cached, costNanoUsd, durations }: CallHourRow): CallSums {
  const [p50, p95, p99] = quantilesOf(durations, [0.5, 0.95, 0.99]);
  return {
    calls,
    repaired,
    failed,
    cancelled,
    cached,
    costNanoUsd,
    durationMs: calls === 0 ? null : { p50, p95, p99 },
  };
}
