import { timestamp } from '../base/clock.ts';
import { newId } from '../base/type-id.ts';
import type { Clock } from '../contracts/clock.ts';
import type { Queue } from '../contracts/queue.ts';
import type { WebhookRow } from '../contracts/rows.ts';
import type { Storage, Write } from '../contracts/storage.ts';
import type { TenantId } from '../contracts/tenant.ts';
import type { WebhookEvent } from './webhook-event.ts';
import { eventJob, eventTopic } from './webhook-jobs.ts';

/**
 * Where changes leave what webhooks are to be told of. The event, and the job that sends it on its way, are writes of the
 * very commit that changes something: both happen or neither.
 */
export interface WebhookOutbox {
  /**
   * The writes that tell of events, two or more; none where no webhook of the tenant asks for any of them, which the
   * storage is asked each time: another server may have made one just now.
   */
  writes(tenant: TenantId, events: readonly WebhookEvent[]): Promise<readonly Write[]>;
  /** Say that a commit had such writes. Without it they are found a little later. */
  notify(): void;
}

export interface OutboxParts {
  readonly storage: Storage;
  readonly queue: Pick<Queue, 'write' | 'notify'>;
  readonly clock: Clock;
}

/** Whether a webhook asks for a kind of events. */
export function asksFor({ events }: Pick<WebhookRow, 'events'>, type: string): boolean {
  return events.includes(type) || events.includes('*');
}

/** More than a tenant may have. */
export const ALL_WEBHOOKS = { sort: 'createdAt', order: 'asc', limit: 100 } as const;

export function createWebhookOutbox({ storage, queue, clock }: OutboxParts): WebhookOutbox {
  return {
    async writes(tenant, events) {
      const { rows } = await storage.list(tenant, 'webhooks', { ...ALL_WEBHOOKS, select: ['events'] });
      if (rows.length === 0) return [];
      const wanted = events.filter(({ type }) => rows.some((row) => asksFor(row, type)));
      if (wanted.length === 0) return [];
      const createdAt = timestamp(clock);
      const told = wanted.map(({ type, data, at }) => {
        return { id: newId('event'), revision: 1, type, createdAt: at ?? createdAt, data, webhookId: null };
      });
      const inserts = told.map((row): Write => ({ insert: 'webhookEvents', row }));
      return [...inserts, queue.write(tenant, eventJob(told.map(({ id }) => id)))];
    },
    notify: () => queue.notify(eventTopic),
  };
}
