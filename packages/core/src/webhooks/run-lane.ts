import type { Job, Postponement } from '@patchbay/contracts/queue';
import type { WebhookDeliveryRow, WebhookLaneRow, WebhookRow } from '@patchbay/contracts/rows';
import type { Write } from '@patchbay/contracts/storage';
import { readLaneJob } from '../events/webhook-outbox.ts';
import { attemptDelivery, deliveryAfter } from './deliveries.ts';
import type { LaneDependencies } from './lane-dependencies.ts';
import { disableWebhook, hasFailedTooLong, healthAfter, type LaneHealth } from './lane-health.ts';
import { holdFrom, holdLane, isHoldOld, leaveLane } from './lane-hold.ts';

/** Deliveries to one webhook at the same time. */
const CONCURRENCY = 4;

/** Maximum number of deliveries that await a response, or whose outcome is not yet written. */
const UNWRITTEN = 50;

/** Deliveries that are read in one poll. */
const BATCH = 50;

/** Milliseconds between two polls for deliveries that other processes have queued, while something is being sent. */
const LOOK_MS = 500;

/**
 * Send all due deliveries of one webhook. All deliveries of a webhook go through its lane, so a receiver that hangs
 * delays only its own deliveries, however many are queued.
 *
 * @param draining Aborts when no further delivery may start.
 */
export async function runLane(
  parts: LaneDependencies,
  job: Pick<Job, 'id' | 'tenant' | 'payload' | 'signal'>,
  draining: () => boolean,
): Promise<Postponement | undefined> {
  const given = readLaneJob(job);
  const { tenant, signal } = job;
  if (!(await holdLane(parts, tenant, given))) return undefined;
  const run = startLaneRun(parts, job, given);
  for (;;) {
    if (signal.aborted || draining()) {
      await run.ended();
      return { postponeMs: 0 };
    }
    const found = await run.look();
    if (found === undefined) {
      await run.ended();
      return undefined;
    }
    if (run.failure !== undefined) {
      await run.ended();
      throw run.failure;
    }
    if (found.begun || run.isBusy) await run.turn();
    else if (await leaveLane(parts, tenant, found.lane, found.nextAt)) return undefined;
  }
}

interface Look {
  readonly lane: WebhookLaneRow;
  /** Whether something was begun. */
  readonly begun: boolean;
  /** When there is something to do next, if nothing was. */
  readonly nextAt: string | undefined;
}

function startLaneRun(
  parts: LaneDependencies,
  { tenant, signal }: Pick<Job, 'tenant' | 'signal'>,
  { webhookId, token }: ReturnType<typeof readLaneJob>,
) {
  const { storage, clock, notifier, throttle, groupCommit } = parts;
  const sending = new Map<string, Promise<void>>();
  /** How many of them the receiver has not responded to yet. */
  let unanswered = 0;
  let waiting: WebhookDeliveryRow[] = [];
  let known: LaneHealth | undefined;
  let failure: unknown;
  /** A delivery has received its response, or its outcome was written, since the last poll. */
  let hasRoom = false;
  const noteRoom = (): void => {
    hasRoom = true;
    notifier.notify(webhookId);
  };

  const deliver = async (row: WebhookDeliveryRow, webhook: WebhookRow, onAnswer: () => void): Promise<void> => {
    const { id, revision: ifRevision } = row;
    await throttle.next(signal);
    const event = await storage.get(tenant, 'webhookEvents', row.eventId);
    if (event === undefined) {
      await storage.commit(tenant, [{ delete: 'webhookDeliveries', id, ifRevision }]);
      return;
    }
    const startedAt = clock.now();
    const outcome = await attemptDelivery(parts, tenant, webhook, event, signal);
    onAnswer();
    await groupCommit.next();
    const set = deliveryAfter(parts, row, outcome, startedAt);
    const writes: Write[] = [{ update: 'webhookDeliveries', id, set, ifRevision }];
    const health = known && healthAfter(known, outcome, clock.now());
    if (health) {
      known = health;
      const { failingSince, throttles, pausedUntil } = health;
      writes.push({ update: 'webhookLanes', id: webhookId, set: { failingSince, throttles, pausedUntil } });
    }
    // Rejected if another job owns it now, or it was enqueued again.
    if (!(await storage.commit(tenant, writes)).done) return;
    const failing = outcome.kind === 'failed' && known && hasFailedTooLong(known, clock.now());
    if (outcome.kind !== 'gone' && !failing) return;
    await disableWebhook(parts, tenant, webhook, outcome.kind === 'gone' ? 'gone' : 'failing');
  };

  const begin = (row: WebhookDeliveryRow, webhook: WebhookRow): void => {
    unanswered += 1;
    let answered = false;
    const onAnswer = () => {
      if (answered) return;
      answered = true;
      unanswered -= 1;
      noteRoom();
    };
    const delivery = deliver(row, webhook, onAnswer)
      .catch((error: unknown) => {
        if (!signal.aborted) failure ??= error;
      })
      .finally(() => {
        onAnswer();
        sending.delete(row.id);
        noteRoom();
      });
    sending.set(row.id, delivery);
  };

  /** Begin what may be begun. Undefined if the webhook is gone, or another job holds the lane. */
  const look = async (): Promise<Look | undefined> => {
    hasRoom = false;
    const [lane, webhook] = await Promise.all([
      storage.get(tenant, 'webhookLanes', webhookId),
      storage.get(tenant, 'webhooks', webhookId),
    ]);
    if (lane?.run !== token || webhook === undefined) return undefined;
    known = lane;
    if (isHoldOld(lane, clock.now())) {
      const set = { heldUntil: holdFrom(clock.now()) };
      const { id, revision: ifRevision } = lane;
      const { done } = await storage.commit(tenant, [{ update: 'webhookLanes', id, set, ifRevision }]);
      // It was changed concurrently, and another job may hold it.
      if (!done) return await look();
    }
    const now = clock.now();
    const { pausedUntil } = lane;
    const isPaused = pausedUntil !== null && Date.parse(pausedUntil) > now;
    if (!webhook.enabled || isPaused) {
      waiting = [];
      return { lane, begun: false, nextAt: webhook.enabled && isPaused ? pausedUntil : undefined };
    }
    let nextAt: string | undefined;
    if (waiting.length === 0) {
      // A delivery that ends while we read may be read in its old state.
      const busy = new Set(sending.keys());
      const query = { where: { lane: webhookId }, sort: 'dueAt', order: 'asc', limit: BATCH } as const;
      const { rows } = await storage.list(tenant, 'webhookDeliveries', query);
      const idle = rows.filter(({ id }) => !busy.has(id));
      waiting = idle.filter(({ dueAt }) => Date.parse(dueAt ?? '') <= now);
      nextAt = idle[0]?.dueAt ?? undefined;
    }
    // An overloaded receiver gets one at a time, until it accepts it.
    const room = Math.min((lane.throttles > 0 ? 1 : CONCURRENCY) - unanswered, UNWRITTEN - sending.size);
    const begun = waiting.splice(0, Math.max(room, 0));
    for (const row of begun) begin(row, webhook);
    return { lane, begun: begun.length > 0, nextAt };
  };

  return {
    look,
    get isBusy() {
      return sending.size > 0;
    },
    /** Why something could not be written. The delivery that it concerned waits as before. */
    get failure() {
      return failure;
    },
    /** Waits until there may be room, or more to do. */
    async turn(): Promise<void> {
      if (hasRoom || sending.size === 0) return;
      await notifier.wait(webhookId, LOOK_MS);
    },
    async ended(): Promise<void> {
      await Promise.all(sending.values());
    },
  };
}
