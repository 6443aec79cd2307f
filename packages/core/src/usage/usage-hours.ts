import { createHash } from 'node:crypto';
import type { UsageAmounts, UsageDimensions, UsageEntryRow, UsageHourRow } from '../contracts/rows.ts';

export const amountNames = [
  'uncachedInputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'outputTokens',
  'reasoningTokens',
  'durationMs',
] as const satisfies readonly (keyof UsageAmounts)[];

const HOUR = 'YYYY-MM-DDTHH'.length;

/** The beginning of the hour of a timestamp. */
export function hourOf(timestamp: string): string {
  return `${timestamp.slice(0, HOUR)}:00:00.000Z`;
}

/** The sums of one hour that a call belongs to. One row for each combination, whoever writes it first. */
export function hourRowId(tenant: string, hour: string, entry: UsageDimensions): string {
  const { kind, keyId, functionId, model, outcome } = entry;
  const identity = JSON.stringify([tenant, hour, kind, keyId, functionId, model, outcome]);
  return `usage_hour_${createHash('sha256').update(identity).digest('hex')}`;
}

/** Sums without anything in them. */
export function emptyHour(id: string, hour: string, entry: UsageDimensions): UsageHourRow {
  const { kind, keyId, functionId, model, outcome } = entry;
  const none = Object.fromEntries(amountNames.map((name) => [name, 0])) as unknown as UsageAmounts;
  const counts = { calls: 0, costNanoUsd: 0, unpricedCalls: 0 };
  return { id, revision: 0, hour, kind, keyId, functionId, model, outcome, ...none, ...counts };
}

/** The sums with one call more. */
export function addEntry(sums: UsageHourRow, entry: UsageEntryRow): UsageHourRow {
  const amounts = Object.fromEntries(
    amountNames.map((name) => [name, sums[name] + entry[name]]),
  ) as unknown as UsageAmounts;
  return {
    ...sums,
    ...amounts,
    calls: sums.calls + 1,
    costNanoUsd: sums.costNanoUsd + (entry.costNanoUsd ?? 0),
    unpricedCalls: sums.unpricedCalls + (entry.kind === 'model' && entry.costNanoUsd === null ? 1 : 0),
  };
}
