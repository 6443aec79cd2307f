import { createTimestamps, hourOf } from '@patchbay/contracts/base/clock';
import { deleteOldest } from '@patchbay/contracts/base/delete-oldest';
import { isRejectedByStorage } from '@patchbay/contracts/base/storage-arguments';
import { newId } from '@patchbay/contracts/base/type-id';
import type { Clock } from '@patchbay/contracts/clock';
import type { Logger, RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { Usage } from '@patchbay/contracts/provider';
import type { CallRecordRow, UsageAmounts, UsageDimensions, UsageEntryRow } from '@patchbay/contracts/rows';
import type { Storage } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';

/** A row of the ledger. Only usage has totals. */
type LedgerRow =
  | { readonly collection: 'usageEntries'; readonly row: UsageEntryRow }
  | { readonly collection: 'callRecords'; readonly row: CallRecordRow };

/** Writes entries together with the totals that they belong to. */
export interface UsageWriter {
  /** Each entry counts once, even if the same rows are written again after a commit with an unknown outcome. */
  write(tenant: TenantId, rows: readonly LedgerRow[]): Promise<void>;
}

interface UsageLedgerDependencies {
  readonly writer: UsageWriter;
  readonly logger: Logger;
  /** Called with each entry, which may be of several calls, as soon as it is on disk. */
  readonly onStored?: (tenant: TenantId, entry: UsageEntryRow) => void;
  /** Called for each row that the storage rejected, and which is therefore dropped. */
  readonly onRejected?: (collection: LedgerRow['collection']) => void;
  /** Milliseconds to collect entries for one commit. Default 200. */
  readonly delayMs?: number;
  /** Maximum number of buffered entries. Default 10,000. */
  readonly capacity?: number;
}

/** Records usage and calls in the background: a row costs a request no more than a push to an array. */
export interface UsageLedger {
  /**
   * Never fails and never waits.
   *
   * @returns the id of the entry that counts it, possibly with other calls.
   */
  record(tenant: TenantId, usage: NewUsage): string;
  /** The same for an answer that feedback can be about. */
  recordCall(tenant: TenantId, call: CallRecordRow): void;
  /**
   * Wait until the buffer has room, before a call. Undefined: it has.
   *
   * @throws PatchbayError `storage_unavailable` if the storage has failed for too long.
   */
  room(): Promise<void> | undefined;
  /** Resolves when everything recorded before is on disk, or could not be written. */
  flush(): Promise<void>;
  /** Run something while nothing is written. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

/** Rows of one commit, besides the totals that they change. */
const BATCH = 250;
const RETRY_MS = 1_000;
const ROOM_MS = 1_000;

interface Batch {
  readonly tenant: TenantId;
  readonly rows: readonly LedgerRow[];
}

export function createUsageLedger(dependencies: UsageLedgerDependencies): UsageLedger {
  const { writer, logger, onStored, onRejected, delayMs = 200, capacity = 10_000 } = dependencies;
  const waiting = new Map<TenantId, WaitingRows>();
  /** Taken out of `waiting`. A commit that failed may be on disk nevertheless: it is repeated unchanged. */
  let taken: Batch[] = [];
  let count = 0;
  let failing = false;
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();

  /** One after another, whether or not the previous ones succeed. */
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return await turn;
  };

  /** Everything that waits. */
  const takeAll = (): readonly Batch[] => {
    const batches: Batch[] = [];
    for (const [tenant, { rows }] of waiting) {
      for (let from = 0; from < rows.length; from += BATCH)
        batches.push({ tenant, rows: rows.slice(from, from + BATCH) });
    }
    waiting.clear();
    return batches;
  };

  /** The halves of a rejected batch, or nothing if it is a single row, which is dropped. */
  const splitRejected = ({ tenant, rows }: Batch, error: unknown): readonly Batch[] => {
    if (rows.length > 1) {
      const middle = Math.ceil(rows.length / 2);
      return [rows.slice(0, middle), rows.slice(middle)].map((half) => ({ tenant, rows: half }));
    }
    for (const { collection, row } of rows) {
      logger.error('usage was dropped: the storage rejects it', { tenant, entry: row.id, error });
      onRejected?.(collection);
      count -= 1;
    }
    return [];
  };

  const writeTaken = async (): Promise<void> => {
    for (let [batch] = taken; batch; [batch] = taken) {
      const { tenant, rows } = batch;
      try {
        await writer.write(tenant, rows);
      } catch (error) {
        if (!isRejectedByStorage(error)) throw error;
        taken.splice(0, 1, ...splitRejected(batch, error));
        continue;
      }
      taken.shift();
      count -= rows.length;
      for (const each of rows) if (each.collection === 'usageEntries') onStored?.(tenant, each.row);
    }
  };

  /**
   * Rows that are added meanwhile wait for the next time: otherwise a busy server would write one small commit after
   * another.
   */
  const writeAll = async (): Promise<void> => {
    taken = [...taken, ...takeAll()];
    await writeTaken();
  };

  const write = async (work: () => Promise<void>): Promise<void> => {
    try {
      await inTurn(work);
      if (failing) logger.info('usage is written again');
      failing = false;
    } catch (error) {
      if (!failing) logger.warn('usage cannot be written; it is buffered in memory', { entries: count, error });
      failing = true;
    }
    if (count > 0) schedule(failing ? RETRY_MS : delayMs);
  };

  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    await write(writeAll);
  };

  const schedule = (ms: number): void => {
    // Not unref'd: a process that exits normally writes its usage.
    timer ??= setTimeout(() => void flush(), ms);
  };

  const add = <T>(tenant: TenantId, put: (into: WaitingRows) => T): T => {
    const into = waiting.get(tenant) ?? new WaitingRows();
    const before = into.rows.length;
    const result = put(into);
    waiting.set(tenant, into);
    count += into.rows.length - before;
    schedule(delayMs);
    if (into.rows.length >= BATCH && !failing) writeFull(tenant, into);
    return result;
  };

  /** Earlier than others: rows that survive a garbage collection cost more than those that do not. */
  const writeFull = (tenant: TenantId, { rows }: WaitingRows): void => {
    waiting.delete(tenant);
    taken.push({ tenant, rows });
    void write(writeTaken);
  };

  const makeRoom = async (): Promise<void> => {
    const patience = new Promise<void>((resolve) => setTimeout(resolve, ROOM_MS).unref());
    await Promise.race([failing ? patience : flush(), patience]);
    if (count < capacity) return;
    throw new PatchbayError('storage_unavailable', 'usage cannot be recorded right now', { retryAfter: 1 });
  };

  return {
    flush,
    exclusively: inTurn,
    record: (tenant, usage) => add(tenant, (into) => into.addUsage(usage)),
    recordCall: (tenant, row) => add(tenant, (into) => into.addCall(row)),

    room: () => (count < capacity ? undefined : makeRoom()),

    async stop() {
      do await flush();
      while (count > 0 && !failing);
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
  /**
   * Undefined: a call can be recorded.
   *
   * @throws PatchbayError `storage_unavailable`: do not make the call yet, because its usage could not be recorded.
   */
  ready(): Promise<void> | undefined;
  record(context: RequestContext, call: MeasuredCall): void;
}

export const noUsage: Usage = {
  uncachedInputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
};

/** One call within an entry. */
export type RecordedUsage = Pick<UsageEntryRow, 'id' | 'keyId' | 'costNanoUsd' | 'createdAt'>;

/**
 * @param budgets Informed of each call with a price immediately, with the id of the entry that it is part of. An execution has
 *   none: its model calls are recorded individually.
 */
export function createUsageMeter(
  ledger: Pick<UsageLedger, 'record' | 'room'>,
  clock: Clock,
  budgets?: { recorded(tenant: TenantId, usage: RecordedUsage): void },
): UsageMeter {
  const timestamp = createTimestamps(clock);
  return {
    ready: () => ledger.room(),
    record(context, { usage, durationMs, kind, functionId, model, outcome, costNanoUsd }) {
      const { uncachedInputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens } = usage;
      const { caller, requestId } = context;
      const keyId = caller.id;
      const createdAt = timestamp();
      const id = ledger.record(caller.tenant, {
        kind,
        functionId,
        model,
        outcome,
        costNanoUsd,
        keyId,
        uncachedInputTokens,
        cacheReadTokens,
        cacheWriteTokens,
        outputTokens,
        reasoningTokens,
        durationMs: Math.max(0, Math.round(durationMs)),
        requestId,
        estimated: usage.estimated === true,
        createdAt,
      });
      if (costNanoUsd !== null) budgets?.recorded(caller.tenant, { id, keyId, costNanoUsd, createdAt });
    },
  };
}

const DAY_MS = 86_400_000;

/** Delete entries that are old enough, in steps, and return how many. The hourly totals stay. */
export async function sweepUsage(storage: Storage, clock: Pick<Clock, 'now'>, retentionDays: number): Promise<number> {
  const before = new Date(clock.now() - retentionDays * DAY_MS).toISOString();
  const isOld = ({ createdAt }: UsageEntryRow) => createdAt < before;
  return await deleteOldest(storage, { collection: 'usageEntries', sort: 'createdAt' }, isOld, ({ id }) => [
    { delete: 'usageEntries', id },
  ]);
}

/** The usage of one call. */
export type NewUsage = Omit<UsageEntryRow, 'id' | 'revision' | 'calls'>;

type GrowingEntry = { -readonly [N in keyof UsageEntryRow]: UsageEntryRow[N] };

/**
 * Rows of one tenant for the next commit. Calls with the same dimensions share an entry: a busy server neither keeps
 * nor writes one for each.
 */
export class WaitingRows {
  readonly rows: LedgerRow[] = [];
  readonly #entries = new Map<string, GrowingEntry>();
  /** The last entry of each model: most calls share it, and need no key to find it. */
  readonly #last = new Map<string, GrowingEntry>();

  /** @returns the id of the entry that it is part of. */
  addUsage(usage: NewUsage): string {
    const last = this.#last.get(usage.model);
    if (last && haveOneEntry(last, usage)) {
      count(last, usage);
      return last.id;
    }
    const key = keyOf(usage);
    let entry = this.#entries.get(key);
    if (entry) count(entry, usage);
    else {
      entry = { ...usage, id: newId('usage'), revision: 1, calls: 1 };
      this.#entries.set(key, entry);
      this.rows.push({ collection: 'usageEntries', row: entry });
    }
    this.#last.set(usage.model, entry);
    return entry.id;
  }

  addCall(row: CallRecordRow): void {
    this.rows.push({ collection: 'callRecords', row });
  }
}

/** The same for those that {@link haveOneEntry}. No id and no name contains a line break. */
function keyOf({ createdAt, kind, keyId, functionId, model, outcome, estimated, costNanoUsd }: NewUsage): string {
  const isPriced = costNanoUsd !== null;
  return `${hourOf(createdAt)}\n${kind}\n${keyId}\n${functionId}\n${model}\n${outcome}\n${estimated}\n${isPriced}`;
}

function haveOneEntry(one: NewUsage, other: NewUsage): boolean {
  return (
    one.keyId === other.keyId &&
    one.model === other.model &&
    one.functionId === other.functionId &&
    one.kind === other.kind &&
    one.outcome === other.outcome &&
    one.estimated === other.estimated &&
    (one.costNanoUsd === null) === (other.costNanoUsd === null) &&
    (one.createdAt === other.createdAt || hourOf(one.createdAt) === hourOf(other.createdAt))
  );
}

function count(entry: GrowingEntry, usage: NewUsage): void {
  addAmounts(entry, usage);
  entry.calls = (entry.calls ?? 1) + 1;
  if (usage.costNanoUsd !== null) entry.costNanoUsd = (entry.costNanoUsd ?? 0) + usage.costNanoUsd;
}

/** Written out, because it runs for every call: a name that is only known at run time costs a search. */
export function addAmounts(sums: { -readonly [N in keyof UsageAmounts]: number }, amounts: UsageAmounts): void {
  sums.uncachedInputTokens += amounts.uncachedInputTokens;
  sums.cacheReadTokens += amounts.cacheReadTokens;
  sums.cacheWriteTokens += amounts.cacheWriteTokens;
  sums.outputTokens += amounts.outputTokens;
  sums.reasoningTokens += amounts.reasoningTokens;
  sums.durationMs += amounts.durationMs;
}
