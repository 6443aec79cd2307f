import { deleteOldest } from '../base/delete-oldest.ts';
import { isRejectedByStorage } from '../base/storage-arguments.ts';
import { newId } from '../base/type-id.ts';
import type { Clock } from '../contracts/clock.ts';
import type { Logger, RequestContext } from '../contracts/context.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { Usage } from '../contracts/provider.ts';
import type { UsageDimensions, UsageEntryRow } from '../contracts/rows.ts';
import type { Storage } from '../contracts/storage.ts';
import type { TenantId } from '../contracts/tenant.ts';
import { createUsageWriter } from './usage-hours.ts';

interface UsageLedgerDependencies {
  readonly storage: Storage;
  readonly logger: Logger;
  /** Called with each entry as soon as it is on disk. */
  readonly onStored?: (tenant: TenantId, entry: UsageEntryRow) => void;
  /** Called for each entry that the storage rejected, and that is therefore left out. */
  readonly onRejected?: () => void;
  /** Milliseconds to collect entries for one commit. Default 200. */
  readonly delayMs?: number;
  /** Maximum number of buffered entries. Default 10,000. */
  readonly capacity?: number;
}

/** Records usage in the background: an entry costs a request no more than a push to a list. */
export interface UsageLedger {
  /** Never fails and never waits. */
  record(tenant: TenantId, entry: UsageEntryRow): void;
  /**
   * Wait until the buffer has room, before a call.
   *
   * @throws PatchbayError `storage_unavailable` if the storage has failed for too long.
   */
  room(): Promise<void>;
  /** Resolves when everything recorded before is on disk, or could not be written. */
  flush(): Promise<void>;
  /** Run something while nothing is written. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

/** Entries of one commit, beside the sums that they change. */
const BATCH = 250;
const RETRY_MS = 1_000;
const ROOM_MS = 1_000;

interface Batch {
  readonly tenant: TenantId;
  readonly entries: readonly UsageEntryRow[];
}

export function createUsageLedger(dependencies: UsageLedgerDependencies): UsageLedger {
  const { storage, logger, onStored, onRejected, delayMs = 200, capacity = 10_000 } = dependencies;
  const writer = createUsageWriter(storage);
  const waiting = new Map<TenantId, UsageEntryRow[]>();
  /** Taken out of `waiting`. A commit that failed may be on disk all the same: it is repeated as it was. */
  let taken: readonly Batch[] = [];
  let count = 0;
  let failing = false;
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();

  /** One after the other, whatever becomes of those before. */
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return await turn;
  };

  const takeBatch = (): Batch | undefined => {
    for (const [tenant, entries] of waiting) {
      const first = entries.splice(0, BATCH);
      if (entries.length === 0) waiting.delete(tenant);
      return { tenant, entries: first };
    }
    return undefined;
  };

  /** Of a batch that was rejected: its halves, or nothing where it is a single entry, which is left out. */
  const splitRejected = ({ tenant, entries }: Batch, error: unknown): readonly Batch[] => {
    if (entries.length > 1) {
      const middle = Math.ceil(entries.length / 2);
      return [entries.slice(0, middle), entries.slice(middle)].map((half) => ({ tenant, entries: half }));
    }
    const [rejected] = entries;
    logger.error('usage was dropped: the storage rejects it', { tenant, entry: rejected?.id, error });
    onRejected?.();
    count -= entries.length;
    return [];
  };

  const writeAll = async (): Promise<void> => {
    for (;;) {
      const [batch = takeBatch(), ...rest] = taken;
      if (batch === undefined) return;
      taken = [batch, ...rest];
      const { tenant, entries } = batch;
      try {
        await writer.write(tenant, entries);
      } catch (error) {
        if (!isRejectedByStorage(error)) throw error;
        taken = [...splitRejected(batch, error), ...rest];
        continue;
      }
      taken = rest;
      count -= entries.length;
      for (const entry of entries) onStored?.(tenant, entry);
    }
  };

  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    try {
      await inTurn(writeAll);
      if (failing) logger.info('usage is written again');
      failing = false;
    } catch (error) {
      if (!failing) logger.warn('usage cannot be written; it is buffered in memory', { entries: count, error });
      failing = true;
    }
    if (count > 0) schedule(failing ? RETRY_MS : 0);
  };

  const schedule = (ms: number): void => {
    // Not unref'd: a process that exits normally writes its usage.
    timer ??= setTimeout(() => void flush(), ms);
  };

  return {
    flush,
    exclusively: inTurn,

    record(tenant, entry) {
      const entries = waiting.get(tenant);
      if (entries) entries.push(entry);
      else waiting.set(tenant, [entry]);
      count += 1;
      schedule(delayMs);
    },

    async room() {
      if (count < capacity) return;
      const patience = new Promise<void>((resolve) => setTimeout(resolve, ROOM_MS).unref());
      await Promise.race([failing ? patience : flush(), patience]);
      if (count < capacity) return;
      throw new PatchbayError('storage_unavailable', 'usage cannot be recorded right now', { retryAfter: 1 });
    },

    async stop() {
      await flush();
      clearTimeout(timer);
      if (count > 0) logger.error('usage was lost: it could not be written before the shutdown', { entries: count });
    },
  };
}

/** The usage of one call, once it has ended. */
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

/** @param onRecord Called with each entry immediately. */
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

const DAY_MS = 86_400_000;

/** Delete the entries of single calls that are old enough, in steps; how many. The sums of hours stay. */
export async function sweepUsage(storage: Storage, clock: Pick<Clock, 'now'>, retentionDays: number): Promise<number> {
  const before = new Date(clock.now() - retentionDays * DAY_MS).toISOString();
  const isOld = ({ createdAt }: UsageEntryRow) => createdAt < before;
  return await deleteOldest(storage, { collection: 'usageEntries', sort: 'createdAt' }, isOld, ({ id }) => [
    { delete: 'usageEntries', id },
  ]);
}
