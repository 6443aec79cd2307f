import { backoffMs } from '@patchbay/contracts/base/clock';
import { deleteOldest } from '@patchbay/contracts/base/delete-oldest';
import type { Chore } from '@patchbay/contracts/base/housekeeping';
import { joinSignals } from '@patchbay/contracts/base/signals';
import type { Clock } from '@patchbay/contracts/clock';
import type { Consumer, JobHandler, Queue } from '@patchbay/contracts/queue';
import type { WebhookEventRow } from '@patchbay/contracts/rows';
import type { Storage } from '@patchbay/contracts/storage';
import { eventTopic, laneTopic, readEventJob } from '../events/webhook-outbox.ts';
import { handOutEvents, replayEvents } from './hand-out-events.ts';
import type { LaneDependencies } from './lane-dependencies.ts';
import { healLanes } from './lane-hold.ts';
import { runLane } from './run-lane.ts';

export interface DispatcherDependencies extends LaneDependencies {
  readonly queue: Queue;
  /** Days for which events and their deliveries are kept, as currently configured. */
  readonly keepDays: () => number;
}

/** Maximum number of concurrently served webhooks. Mostly they wait. */
const LANES = 1_000;

const EVENT_JOBS = 16;

const SWEEP_MS = 60_000;

const HEAL_MS = 120_000;

/** Sends events to webhooks in the background, in every process that consumes the queue. */
export function createWebhookDispatcher(parts: DispatcherDependencies) {
  const { storage, queue, clock } = parts;
  const cut = new AbortController();
  let consumers: readonly Consumer[] = [];
  let stopped: Promise<unknown> | undefined;

  const handOut: JobHandler = async (job) => {
    const given = readEventJob(job);
    if (given === undefined) throw new Error('the job of webhook events is not valid');
    if ('webhookId' in given) await replayEvents(parts, job.tenant, given, job.signal);
    else await handOutEvents(parts, job.tenant, given);
    return undefined;
  };
  const serve: JobHandler = async (job) => {
    const { signal, release } = joinSignals(job.signal, cut.signal);
    try {
      return await runLane(parts, { ...job, signal }, () => stopped !== undefined);
    } finally {
      release();
    }
  };
  const drain = (): void => {
    stopped ??= Promise.all(consumers.map((consumer) => consumer.stop()));
  };

  const chores: readonly Chore[] = [
    { name: 'sweeping webhooks', everyMs: SWEEP_MS, run: () => sweepWebhooks(storage, clock, parts.keepDays()) },
    { name: 'looking for webhooks without a job', everyMs: HEAL_MS, run: () => healLanes(parts) },
  ];
  return {
    chores,
    /** Start to consume events and deliveries. */
    start(): void {
      // Only the storage can fail here, never a receiver: another attempt is always worthwhile.
      const options = { leaseMs: 10_000, maxAttempts: Number.MAX_SAFE_INTEGER, backoffMs: backoff };
      consumers = [
        queue.consume(eventTopic, handOut, { ...options, concurrency: EVENT_JOBS }),
        queue.consume(laneTopic, serve, { ...options, concurrency: LANES }),
      ];
    },
    /** Start no further deliveries. */
    drain,
    /** Resolves when no delivery is in progress; those that exceed the time are aborted, and sent again later. */
    async stop(graceMs: number): Promise<void> {
      drain();
      const timer = setTimeout(() => cut.abort(new Error('the server is shutting down')), graceMs);
      await stopped;
      clearTimeout(timer);
    },
  };
}

const backoff = (attempt: number) => backoffMs(attempt, 30_000);

const DAY_MS = 86_400_000;

/** Delete events older than the given number of days, with their deliveries. @returns Their number. */
export async function sweepWebhooks(storage: Storage, clock: Pick<Clock, 'now'>, keepDays: number): Promise<number> {
  const before = new Date(clock.now() - keepDays * DAY_MS).toISOString();
  const isOld = ({ createdAt }: WebhookEventRow) => createdAt < before;
  return await deleteOldest(storage, { collection: 'webhookEvents', sort: 'createdAt' }, isOld, ({ id }) => [
    { deleteWhere: 'webhookDeliveries', where: { eventId: id } },
    { delete: 'webhookEvents', id },
  ]);
}
