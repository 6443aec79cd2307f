import type { Job, Postponement } from '../contracts/queue.ts';
import type { WebhookDeliveryRow, WebhookLaneRow, WebhookRow } from '../contracts/rows.ts';
import type { Write } from '../contracts/storage.ts';
import { readLaneJob } from '../events/webhook-outbox.ts';
import { attemptDelivery, deliveryAfter } from './deliveries.ts';
import type { LaneDependencies } from './lane-dependencies.ts';
import { disableWebhook, hasFailedTooLong, healthAfter, type LaneHealth } from './lane-health.ts';
import { holdFrom, holdLane, isHoldOld, leaveLane } from './lane-hold.ts';

/** Deliveries to one webhook at the same time. */
const CONCURRENCY = 4;

/** Deliveries that have been answered, or wait for it, before what came of them is written down. */
const UNWRITTEN = 50;

/** Deliveries that are read in one look. */
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
  const run = new LaneRun(parts, job, given);
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

class LaneRun {
  readonly #parts: LaneDependencies;
  readonly #job: Pick<Job, 'tenant' | 'signal'>;
  readonly #webhookId: string;
  readonly #token: string;
  readonly #sending = new Map<string, Promise<void>>();
  /** How many of them the receiver has not answered yet. */
  #unanswered = 0;
  #waiting: WebhookDeliveryRow[] = [];
  #health: LaneHealth | undefined;
  #failure: unknown;

  constructor(
    parts: LaneDependencies,
    job: Pick<Job, 'tenant' | 'signal'>,
    { webhookId, token }: ReturnType<typeof readLaneJob>,
  ) {
    this.#parts = parts;
    this.#job = job;
    this.#webhookId = webhookId;
    this.#token = token;
  }

  get isBusy(): boolean {
    return this.#sending.size > 0;
  }

  /** Why something could not be written down. What it was about waits as before. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Begin what may be begun. Undefined where the webhook is gone, or another job holds the lane. */
  async look(): Promise<Look | undefined> {
    const { storage, clock } = this.#parts;
    const { tenant } = this.#job;
    const [lane, webhook] = await Promise.all([
      storage.get(tenant, 'webhookLanes', this.#webhookId),
      storage.get(tenant, 'webhooks', this.#webhookId),
    ]);
    if (lane?.run !== this.#token || webhook === undefined) return undefined;
    this.#health = lane;
    if (isHoldOld(lane, clock.now())) {
      const set = { heldUntil: holdFrom(clock.now()) };
      const { id, revision: ifRevision } = lane;
      const { done } = await storage.commit(tenant, [{ update: 'webhookLanes', id, set, ifRevision }]);
      // It was changed concurrently, and another job may hold it.
      if (!done) return await this.look();
    }
    if (!webhook.enabled) {
      this.#waiting = [];
      return { lane, begun: false, nextAt: undefined };
    }
    const now = clock.now();
    const { pausedUntil } = lane;
    if (pausedUntil !== null && Date.parse(pausedUntil) > now) {
      this.#waiting = [];
      return { lane, begun: false, nextAt: pausedUntil };
    }
    let nextAt: string | undefined;
    if (this.#waiting.length === 0) {
      // One that ends while we read may be read as it was before.
      const busy = new Set(this.#sending.keys());
      const found = await this.#scan(BATCH);
      const idle = found.filter(({ id }) => !busy.has(id));
      this.#waiting = idle.filter(({ dueAt }) => Date.parse(dueAt ?? '') <= now);
      nextAt = idle[0]?.dueAt ?? undefined;
    }
    // One that has too much to do gets one at a time, until it takes it.
    const room = Math.min((lane.throttles > 0 ? 1 : CONCURRENCY) - this.#unanswered, UNWRITTEN - this.#sending.size);
    const begun = this.#waiting.splice(0, Math.max(room, 0));
    for (const row of begun) this.#begin(row, webhook);
    return { lane, begun: begun.length > 0, nextAt };
  }

  /** Until there may be room, or more to do. */
  async turn(): Promise<void> {
    // What was begun may have ended already.
    if (this.#sending.size === 0) return;
    await Promise.race([...this.#sending.values(), this.#parts.notifier.wait(this.#webhookId, LOOK_MS)]);
  }

  async ended(): Promise<void> {
    await Promise.all(this.#sending.values());
  }

  async #scan(limit: number): Promise<readonly WebhookDeliveryRow[]> {
    const query = { where: { lane: this.#webhookId }, sort: 'dueAt', order: 'asc', limit } as const;
    return (await this.#parts.storage.list(this.#job.tenant, 'webhookDeliveries', query)).rows;
  }

  #begin(row: WebhookDeliveryRow, webhook: WebhookRow): void {
    const { signal } = this.#job;
    this.#unanswered += 1;
    let answered = false;
    const onAnswer = () => {
      if (answered) return;
      answered = true;
      this.#unanswered -= 1;
      this.#parts.notifier.notify(this.#webhookId);
    };
    const sending = this.#deliver(row, webhook, onAnswer)
      .catch((error: unknown) => {
        if (!signal.aborted) this.#failure ??= error;
      })
      .finally(() => {
        onAnswer();
        this.#sending.delete(row.id);
      });
    this.#sending.set(row.id, sending);
  }

  async #deliver(row: WebhookDeliveryRow, webhook: WebhookRow, onAnswer: () => void): Promise<void> {
    const { storage, clock, throttle, groupCommit } = this.#parts;
    const { tenant, signal } = this.#job;
    const { id, revision: ifRevision } = row;
    await throttle.next(signal);
    const event = await storage.get(tenant, 'webhookEvents', row.eventId);
    if (event === undefined) {
      await storage.commit(tenant, [{ delete: 'webhookDeliveries', id, ifRevision }]);
      return;
    }
    const startedAt = clock.now();
    const outcome = await attemptDelivery(this.#parts, tenant, webhook, event, signal);
    onAnswer();
    await groupCommit.next();
    const set = deliveryAfter(this.#parts, row, outcome, startedAt);
    const writes: Write[] = [{ update: 'webhookDeliveries', id, set, ifRevision }];
    const before = this.#health;
    const health = before && healthAfter(before, outcome, clock.now());
    if (health) {
      this.#health = health;
      const { failingSince, throttles, pausedUntil } = health;
      writes.push({ update: 'webhookLanes', id: this.#webhookId, set: { failingSince, throttles, pausedUntil } });
    }
    // Refused where another job has it now, or it was queued anew.
    if (!(await storage.commit(tenant, writes)).done) return;
    const failing = outcome.kind === 'failed' && this.#health && hasFailedTooLong(this.#health, clock.now());
    if (outcome.kind !== 'gone' && !failing) return;
    await disableWebhook(this.#parts, tenant, webhook, outcome.kind === 'gone' ? 'gone' : 'failing');
  }
}
