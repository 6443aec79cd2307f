import { newId } from '../base/type-id.ts';
import type { Clock } from '../contracts/clock.ts';
import type { RequestContext } from '../contracts/context.ts';
import type { Usage } from '../contracts/provider.ts';
import type { UsageDimensions, UsageEntryRow } from '../contracts/rows.ts';
import type { UsageLedger } from './usage-ledger.ts';

/** What one call used, once it has ended. */
export interface MeasuredCall extends Pick<UsageDimensions, 'kind' | 'functionId' | 'model' | 'outcome'> {
  readonly usage: Usage;
  readonly costNanoUsd: number | null;
  /** Milliseconds. */
  readonly durationMs: number;
}

/** Writes calls into the ledger, under the caller of their request. */
export interface UsageMeter {
  /** @throws PatchbayError `storage_unavailable`: wait with the call, for its use could not be written down. */
  ready(): Promise<void>;
  record(context: RequestContext, call: MeasuredCall): void;
}

export const noUsage: Usage = {
  uncachedInputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
};

/** @param onRecord Told of each entry at once. */
export function createUsageMeter(
  ledger: UsageLedger,
  clock: Clock,
  onRecord: (context: RequestContext, entry: UsageEntryRow) => void = () => {},
): UsageMeter {
  return {
    ready: () => ledger.room(),
    record(context, { usage, durationMs, ...call }) {
      const { uncachedInputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens } = usage;
      const { caller, requestId } = context;
      const entry: UsageEntryRow = {
        ...call,
        id: newId('usage'),
        revision: 1,
        keyId: caller.id,
        uncachedInputTokens,
        cacheReadTokens,
        cacheWriteTokens,
        outputTokens,
        reasoningTokens,
        durationMs: Math.max(0, Math.round(durationMs)),
        requestId,
        estimated: usage.estimated === true,
        createdAt: new Date(clock.now()).toISOString(),
      };
      onRecord(context, entry);
      ledger.record(caller.tenant, entry);
    },
  };
}
