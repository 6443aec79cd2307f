import { timestamp } from '@patchbay/contracts/base/clock';
import { retryRefused } from '@patchbay/contracts/base/stored-rows';
import { newId } from '@patchbay/contracts/base/type-id';
import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { WebhookRow } from '@patchbay/contracts/rows';
import { eventTopic, laneJob, laneTopic, replayJob } from '../events/webhook-outbox.ts';
import { listPage } from '../paging/list-page.ts';
import { anew, newDelivery } from './deliveries.ts';
import type { WebhookService, WebhookServiceDependencies } from './webhook-service.ts';

type DeliveryActions = Pick<WebhookService, 'test' | 'replay' | 'listDeliveries' | 'getDelivery' | 'retry'>;

/** The operations of an owner on the deliveries of a webhook. */
export function createDeliveryActions(parts: WebhookServiceDependencies, get: WebhookService['get']): DeliveryActions {
  const { storage, queue, audit, clock } = parts;

  const getEnabled = async (id: string, context: RequestContext): Promise<WebhookRow> => {
    const row = await get(id, context);
    if (!row.enabled) throw new PatchbayError('webhook_disabled', 'the webhook is disabled');
    return row;
  };

  const getDelivery: WebhookService['getDelivery'] = async (id, deliveryId, context) => {
    await get(id, context);
    const row = await storage.get(context.caller.tenant, 'webhookDeliveries', deliveryId);
    if (row?.webhookId === id) return row;
    throw new PatchbayError('delivery_not_found', 'the webhook has no delivery with this id');
  };

  return {
    getDelivery,

    async test(id, context) {
      await getEnabled(id, context);
      const { tenant } = context.caller;
      const createdAt = timestamp(clock);
      const data = { webhookId: id };
      const event = { id: newId('event'), revision: 1, type: 'webhook.test', createdAt, data, webhookId: id };
      const delivery = newDelivery(event, id, createdAt);
      const result = await storage.commit(tenant, [
        { insert: 'webhookEvents', row: event },
        { insert: 'webhookDeliveries', row: delivery },
        queue.write(tenant, laneJob(id)),
      ]);
      if (!result.done) throw new Error(`a new id was refused: ${result.reason}`);
      queue.notify(laneTopic);
      return delivery;
    },

    async replay(id, given, context) {
      await getEnabled(id, context);
      const until = timestamp(clock);
      const since = timeOf(given);
      if (since === undefined || since > until) {
        const detail = since === undefined ? 'must be a time such as 2027-01-31T12:00:00Z' : 'must be in the past';
        const errors = [{ pointer: '/since', code: 'time', detail }];
        throw new PatchbayError('invalid_request', 'events since then cannot be replayed', { errors });
      }
      const job = queue.write(context.caller.tenant, replayJob({ webhookId: id, since, until }));
      const resource = { type: 'webhook', id };
      const result = await audit.commit(context, [job], { action: 'webhook.replayed', resource, details: { since } });
      if (!result.done) throw new Error(`a new job was refused: ${result.reason}`);
      queue.notify(eventTopic);
      return { since, until };
    },

    async listDeliveries(id, state, page, context) {
      await get(id, context);
      const where = { webhookId: id, ...(state && { state }) };
      return await listPage(parts, { collection: 'webhookDeliveries', where, page }, context);
    },

    async retry(id, deliveryId, context) {
      const { tenant } = context.caller;
      return await retryRefused('too many concurrent changes to the delivery; read it again', async () => {
        const row = await getDelivery(id, deliveryId, context);
        await getEnabled(id, context);
        const now = timestamp(clock);
        // One that is due is in progress, and its request may be in flight right now.
        if (row.state === 'waiting' && (row.dueAt ?? '') <= now) return row;
        const set = anew(id, now);
        const update = { update: 'webhookDeliveries', id: deliveryId, set, ifRevision: row.revision } as const;
        const { done } = await storage.commit(tenant, [update, queue.write(tenant, laneJob(id))]);
        if (!done) return undefined;
        queue.notify(laneTopic);
        return { ...row, ...set, revision: row.revision + 1 };
      });
    },
  };
}

function timeOf(text: string): string | undefined {
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}
