import type { Chore } from '../base/housekeeping.ts';
import { joinSignals } from '../base/signals.ts';
import type { Consumer, JobHandler, Queue } from '../contracts/queue.ts';
import { eventTopic, laneTopic, readEventJob } from '../events/webhook-jobs.ts';
import { handOutEvents } from './hand-out-events.ts';
import { healLanes } from './heal-lanes.ts';
import type { LaneParts } from './lane-parts.ts';
import { replayEvents } from './replay-events.ts';
import { runLane } from './run-lane.ts';
import { sweepWebhooks } from './sweep-webhooks.ts';

export interface DispatcherParts extends LaneParts {
  readonly queue: Queue;
  /** Days for which events and their deliveries are kept, as it is now. */
  readonly keepDays: () => number;
}

/** Sends events to webhooks, in the background of any process that has the queue. */
export interface WebhookDispatcher {
  readonly chores: readonly Chore[];
  /** Take events and deliveries out of the queue from now on. */
  start(): void;
  /** Begin nothing any more. */
  drain(): void;
  /** Resolves when nothing is being sent any more; what is not through in time is cut off, and sent again later. */
  stop(graceMs: number): Promise<void>;
}

/** Webhooks that are served at the same time. Most of what they do is wait. */
const LANES = 1_000;

const EVENT_JOBS = 16;

const SWEEP_MS = 60_000;

const HEAL_MS = 120_000;

export function createWebhookDispatcher(parts: DispatcherParts): WebhookDispatcher {
  const { storage, queue, clock } = parts;
  const cut = new AbortController();
  let consumers: readonly Consumer[] = [];
  let stopped: Promise<unknown> | undefined;

  const handOut: JobHandler = async (job) => {
    const given = readEventJob(job);
    if (given === undefined) throw new Error('a job about events of webhooks is not understood');
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
  const drain = () => {
    stopped ??= Promise.all(consumers.map((consumer) => consumer.stop()));
  };

  return {
    chores: [
      { name: 'sweeping webhooks', everyMs: SWEEP_MS, run: () => sweepWebhooks(storage, clock, parts.keepDays()) },
      { name: 'looking for webhooks that nobody serves', everyMs: HEAL_MS, run: () => healLanes(parts) },
    ],
    start() {
      // A failure is one of the storage, never one of a receiver: there is nothing to give up for.
      const options = { leaseMs: 10_000, maxAttempts: Number.MAX_SAFE_INTEGER, backoffMs };
      consumers = [
        queue.consume(eventTopic, handOut, { ...options, concurrency: EVENT_JOBS }),
        queue.consume(laneTopic, serve, { ...options, concurrency: LANES }),
      ];
    },
    drain,
    async stop(graceMs) {
      drain();
      const timer = setTimeout(() => cut.abort(new Error('the server stops')), graceMs);
      await stopped;
      clearTimeout(timer);
    },
  };
}

/** A second, doubled with each attempt up to half a minute, and a fifth more or less. */
function backoffMs(attempt: number): number {
  return Math.min(1_000 * 2 ** (attempt - 1), 30_000) * (0.8 + 0.4 * Math.random());
}
