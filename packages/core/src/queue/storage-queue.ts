import { systemClock } from '@patchbay/contracts/base/clock';
import { silentLogger } from '@patchbay/contracts/base/logger';
import type { Clock } from '@patchbay/contracts/clock';
import type { Logger } from '@patchbay/contracts/context';
import { definePlugin } from '@patchbay/contracts/define-plugin';
import type { ConsumeOptions, Consumer, DeadJob, JobHandler, NewJob, Queue } from '@patchbay/contracts/queue';
import { services } from '@patchbay/contracts/services';
import type { Storage, Write } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import type { TakenJobs, TakeRequest } from './consumer-loop.ts';
import { JobQueue } from './job-queue.ts';
import { deadJob, dedupedId, newJobRow, timeOf } from './job-row.ts';
import { takeJobs } from './storage-jobs.ts';

interface StorageQueueOptions {
  readonly storage: Storage;
  /** Default: the clock of the machine. */
  readonly clock?: Clock;
  /** Default: nothing is logged. */
  readonly logger?: Logger;
  /** Milliseconds between two polls for jobs of other processes, and for jobs that have become due. Default 1,000. */
  readonly pollMs?: number;
  /** A number from 0 to 1, for the jitter of retries. Default: `Math.random`. */
  readonly random?: () => number;
}

const SIGNAL = 'jobs:';

function signalOf(topic: string): string {
  return SIGNAL + topic;
}

/** The topic that has jobs; empty for other signals. */
function topicOf(signal: string): string {
  return signal.startsWith(SIGNAL) ? signal.slice(SIGNAL.length) : '';
}

/**
 * A queue over any storage: jobs are rows, and the first process to change the row of a job gets it. As durable as the
 * storage. Any number of processes may share one; their clocks have to agree within a fraction of the leases. Consumers
 * in other processes are notified of a job immediately if the storage has signals, and otherwise poll for it.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, createStorageQueue } from '@patchbay/core/storage';
 *
 * const queue = createStorageQueue({ storage: createMemoryStorage() });
 * ```
 */
export function createStorageQueue(options: StorageQueueOptions): Queue {
  const { clock = systemClock, logger = silentLogger, pollMs = 1_000, random = Math.random } = options;
  return new StorageQueue({ storage: options.storage, clock, logger, pollMs, random });
}

class StorageQueue extends JobQueue {
  readonly #parts: Required<StorageQueueOptions>;
  #listening: { close(): void } | undefined;

  constructor(parts: Required<StorageQueueOptions>) {
    super(parts);
    this.#parts = parts;
  }

  async enqueue(tenant: TenantId, job: NewJob): Promise<'enqueued' | 'duplicate'> {
    const result = await this.#parts.storage.commit(tenant, [this.write(tenant, job)]);
    if (!result.done) return 'duplicate';
    if (job.delayMs === undefined || job.delayMs === 0) this.notify(job.topic);
    return 'enqueued';
  }

  write(tenant: TenantId, job: NewJob): Write {
    this.check(job);
    return { insert: 'jobs', row: newJobRow(tenant, job, this.#parts.clock.now()) };
  }

  notify(topic: string): void {
    this.look(topic);
    this.#parts.storage.signals?.send(signalOf(topic));
  }

  override consume(topic: string, handler: JobHandler, options?: ConsumeOptions): Consumer {
    this.#listening ??= this.#parts.storage.signals?.listen((name) => this.look(name && topicOf(name)));
    return super.consume(topic, handler, options);
  }

  protected override take(request: TakeRequest): Promise<TakenJobs> {
    return takeJobs(this.#parts, request);
  }

  async dead(topic: string, limit: number): Promise<readonly DeadJob[]> {
    const found = await this.#parts.storage.scanAllTenants('jobs', { topic, state: 'dead' }, limit, 'dueAt');
    return found.map(({ tenant, row }) => deadJob(tenant, row));
  }

  async revive(tenant: TenantId, id: string): Promise<boolean> {
    const { storage, clock } = this.#parts;
    const row = await storage.get(tenant, 'jobs', id);
    if (row?.state !== 'dead') return false;
    const { topic, dedupeKey, revision } = row;
    const key = dedupeKey === null ? id : dedupedId(tenant, topic, dedupeKey);
    const alive = { ...row, id: key, revision: 1, state: 'waiting', attempt: 0, dueAt: timeOf(clock.now()) } as const;
    const result = await storage.commit(tenant, [
      { delete: 'jobs', id, ifRevision: revision },
      { insert: 'jobs', row: alive },
    ]);
    if (result.done) this.notify(topic);
    return result.done;
  }

  async discard(tenant: TenantId, id: string): Promise<boolean> {
    const { storage } = this.#parts;
    const row = await storage.get(tenant, 'jobs', id);
    if (row?.state !== 'dead') return false;
    return (await storage.commit(tenant, [{ delete: 'jobs', id, ifRevision: row.revision }])).done;
  }

  override async stop(): Promise<void> {
    this.#listening?.close();
    await super.stop();
  }
}

/** Keeps jobs in the mounted storage: as durable as that is. */
export const storageQueue = definePlugin({
  name: '@patchbay/core/storage-queue',
  kind: 'queue',
  version: 1,
  config: {
    properties: {
      pollMs: {
        type: 'integer',
        minimum: 10,
        maximum: 60_000,
        default: 1_000,
        description: 'Milliseconds between two looks for jobs of other processes, and for those whose time has come.',
      },
    },
  },
  deps: { storage: services.storage, clock: services.clock },
  create: ({ config, deps, logger }) => createStorageQueue({ ...deps, logger, pollMs: config.pollMs }),
});
