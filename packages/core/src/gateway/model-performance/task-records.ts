import { deleteOldest } from '@patchbay/contracts/base/delete-oldest';
import { nameKey } from '@patchbay/contracts/base/names';
import { withTimeout } from '@patchbay/contracts/base/signals';
import { isRejectedByStorage } from '@patchbay/contracts/base/storage-arguments';
import { retryRefused } from '@patchbay/contracts/base/stored-rows';
import type { Clock } from '@patchbay/contracts/clock';
import type { Logger } from '@patchbay/contracts/context';
import type { TaskRecordRow } from '@patchbay/contracts/rows';
import type { Storage } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import { type ModelCounts, type ModelRecord, TaskMemory } from './task-memory.ts';
import { addToRows } from './task-rows.ts';

/** A function of a tenant, stored or not. */
export interface Task {
  readonly tenant: TenantId;
  readonly functionName: string;
}

/** The records of models on one task, under one version of its settings. */
export type ModelRecords = (model: string) => ModelRecord;

/** Remembers how well models do the tasks of tenants, together with all processes on one storage. */
export interface TaskRecords {
  /** Count for one model. Never fails and never waits. */
  add(task: Task, counts: ModelCounts): void;
  /** From memory, and for the first request of a task from the storage, if that responds in time. Never fails. */
  find(task: Task, settingsVersion: number): ModelRecords | Promise<ModelRecords>;
  /** Exchange counts with the storage. Rejects, and keeps them, if it fails. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

interface TaskRecordsDependencies {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called for each task whose counts the storage rejected, and which are therefore dropped. */
  readonly onRejected?: () => void;
}

interface KnownTask {
  readonly tenant: TenantId;
  /** As in its rows. */
  readonly task: string;
  readonly memory: TaskMemory;
  /** When the storage was last queried, in milliseconds of the monotonic clock. */
  askedAt: number;
  /** The storage responded, or did not in time. */
  isRead: boolean;
  exchange: Promise<void> | undefined;
}

/** Records to which nothing was added are read again after this time, for what other processes added. */
const STALE_MS = 30_000;
/** With a slower storage, the first request of a task goes without records, but waits no longer. */
const LONGEST_LOOKUP_MS = 250;
/** Maximum number of functions in memory: the most recently called ones, because callers can use any names. */
const KEPT_TASKS = 1_000;
/** The same while the storage fails. */
const KEPT_UNWRITTEN = 10_000;
/** Exchanges at a time. */
const PARALLEL = 8;
const LONGEST_TASK = 255;

export function createTaskRecords(dependencies: TaskRecordsDependencies): TaskRecords {
  const { storage, clock, logger, onRejected } = dependencies;
  /** The most recently used last. */
  const tasks = new Map<string, KnownTask>();

  const knownTask = ({ tenant, functionName }: Task): KnownTask => {
    const task = taskKey(functionName);
    const key = `${tenant} ${task}`;
    const found = tasks.get(key);
    const known = found ?? { tenant, task, memory: new TaskMemory(), askedAt: 0, isRead: false, exchange: undefined };
    tasks.delete(key);
    if (found || tasks.size < KEPT_UNWRITTEN) tasks.set(key, known);
    return known;
  };

  const forgetOldest = (): void => {
    for (const [key, { memory, exchange }] of tasks) {
      if (tasks.size <= KEPT_TASKS) return;
      if (!memory.hasUnwritten && !exchange) tasks.delete(key);
    }
  };

  const write = async (known: KnownTask): Promise<void> => {
    const { tenant, task, memory } = known;
    const taken = memory.take();
    try {
      const rows = await retryRefused(
        'too many concurrent changes to the records of a task',
        async () => await addToRows({ storage, clock }, { tenant, task }, taken),
      );
      memory.replace(rows);
      known.isRead = true;
    } catch (error) {
      // If a commit succeeds but reports a failure, counts are added twice: they are estimates, and decay.
      if (!isRejectedByStorage(error)) {
        memory.putBack(taken);
        throw error;
      }
      logger.error('task records were dropped: the storage rejects them', { tenant, task, error });
      onRejected?.();
    }
  };

  /** One at a time for each task. */
  const exchange = (known: KnownTask): Promise<void> => {
    known.askedAt = clock.monotonic();
    known.exchange ??= write(known).finally(() => {
      known.exchange = undefined;
    });
    return known.exchange;
  };

  const read = async (known: KnownTask): Promise<void> => {
    try {
      await exchange(known);
    } catch (error) {
      logger.warn('task records could not be read', { error });
    }
  };

  const firstRead = async (known: KnownTask): Promise<void> => {
    await withTimeout(read(known), LONGEST_LOOKUP_MS).catch((error: unknown) => {
      logger.warn('task records were not read in time', { error });
    });
    known.isRead = true;
  };

  const flush = async (): Promise<void> => {
    const changed = [...tasks.values()].filter(({ memory }) => memory.hasUnwritten);
    const failures: unknown[] = [];
    const next = async (): Promise<void> => {
      for (let known = changed.pop(); known; known = changed.pop()) {
        // An exchange that has already begun does not include all counts.
        await known.exchange?.catch(() => {});
        if (known.memory.hasUnwritten) await exchange(known).catch((error: unknown) => failures.push(error));
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, next));
    forgetOldest();
    if (failures.length > 0) throw failures[0];
  };

  return {
    add(task, counts) {
      knownTask(task).memory.add(counts);
    },

    find(task, settingsVersion) {
      const known = knownTask(task);
      const records = (): ModelRecords => known.memory.recordsOf(settingsVersion, clock.now());
      if (!known.isRead) return firstRead(known).then(records);
      if (clock.monotonic() - known.askedAt > STALE_MS) void read(known);
      return records();
    },

    flush,

    async stop() {
      await flush().catch((error: unknown) => {
        logger.warn('task records could not be written before the shutdown', { error });
      });
    },
  };
}

/** Days without a change after which hardly anything is left of the counts. */
const KEPT_DAYS = 90;

/** Delete the records that have faded, in steps, and return how many. */
export async function sweepTaskRecords(storage: Storage, clock: Pick<Clock, 'now'>): Promise<number> {
  const before = new Date(clock.now() - KEPT_DAYS * 86_400_000).toISOString();
  const isOld = ({ updatedAt }: TaskRecordRow) => updatedAt < before;
  return await deleteOldest(storage, { collection: 'taskRecords', sort: 'updatedAt' }, isOld, ({ id, revision }) => [
    { delete: 'taskRecords', id, ifRevision: revision },
  ]);
}

/** Key of the records of a function, the same for all spellings of its name. */
export function taskKey(functionName: string): string {
  return (nameKey(functionName) || functionName).slice(0, LONGEST_TASK);
}
