import { deliveryStates, type WebhookDeliveryRow } from '@patchbay/core/storage';
import { bodyOf, defineOperation } from '../operation.ts';
import { viewOf } from '../output/view.ts';
import type { PathParameter } from '../routing.ts';
import { listQuery, pageReply } from './pages.ts';
import { webhookId } from './webhooks.ts';

const deliveryId: PathParameter = { description: 'Id of the delivery.', notFound: 'delivery_not_found' };

const view = viewOf('WebhookDelivery');

const deliveryJson = (row: WebhookDeliveryRow): object => view({ ...row, nextAttemptAt: row.dueAt });

const write = { area: 'system', scope: 'webhooks:write' } as const;

const testWebhook = defineOperation({
  id: 'testWebhook',
  method: 'POST',
  path: '/webhooks/:id/test',
  ...write,
  summary: 'Send a test event',
  description:
    'An event of the kind `webhook.test`, to this webhook only. The list of deliveries tells what came of it.',
  params: { id: webhookId },
  success: { status: 202, description: 'The delivery, on its way.', schema: 'WebhookDelivery' },
  errors: ['webhook_not_found', 'webhook_disabled'],
  async handle({ params, context }, { services: { webhooks } }) {
    return { status: 202, json: deliveryJson(await webhooks.test(params.id, context)) };
  },
});

const replayWebhook = defineOperation({
  id: 'replayWebhook',
  method: 'POST',
  path: '/webhooks/:id/replay',
  ...write,
  summary: 'Send what a webhook has missed',
  description:
    'Every event since a time that the webhook asks for and has not taken: events whose delivery failed, events that wait, and those that came ' +
    'while it was disabled. Each keeps its id. Events are kept for 30 days, unless the operator decided otherwise.',
  params: { id: webhookId },
  body: bodyOf<{ readonly since: string }>({ schema: 'WebhookReplay', limitBytes: 16_384 }),
  success: { status: 202, description: 'The events are being queued.', schema: 'WebhookReplayed' },
  errors: ['webhook_not_found', 'webhook_disabled'],
  async handle({ params, body: { since }, context }, { services: { webhooks } }) {
    return { status: 202, json: { ...(await webhooks.replay(params.id, since, context)) } };
  },
});

const listWebhookDeliveries = defineOperation({
  id: 'listWebhookDeliveries',
  method: 'GET',
  path: '/webhooks/:id/deliveries',
  area: 'system',
  scope: 'webhooks:read',
  summary: 'List the deliveries of a webhook',
  description: 'With the last attempts of each, and the beginning of what the receiver answered. Kept for 30 days.',
  params: { id: webhookId },
  query: {
    ...listQuery(['createdAt']),
    state: { type: 'string', enum: deliveryStates, description: 'Only those in this state.' },
  },
  success: { status: 200, description: 'A page of deliveries.', schema: 'WebhookDeliveryPage' },
  errors: ['webhook_not_found'],
  handle: ({ params, query: { state, ...query }, context }, { services: { webhooks } }) =>
    pageReply(query, (page) => webhooks.listDeliveries(params.id, state, page, context), deliveryJson),
});

const getWebhookDelivery = defineOperation({
  id: 'getWebhookDelivery',
  method: 'GET',
  path: '/webhooks/:id/deliveries/:deliveryId',
  area: 'system',
  scope: 'webhooks:read',
  summary: 'Read a delivery of a webhook',
  description: 'With its last attempts, and the beginning of what the receiver answered to each.',
  params: { id: webhookId, deliveryId },
  success: { status: 200, description: 'The delivery.', schema: 'WebhookDelivery' },
  errors: ['webhook_not_found', 'delivery_not_found'],
  handle: async ({ params, context }, { services: { webhooks } }) => ({
    json: deliveryJson(await webhooks.getDelivery(params.id, params.deliveryId, context)),
  }),
});

const retryWebhookDelivery = defineOperation({
  id: 'retryWebhookDelivery',
  method: 'POST',
  path: '/webhooks/:id/deliveries/:deliveryId/retry',
  ...write,
  summary: 'Send an event once more',
  description: 'At once, and from the beginning of the schedule where that fails; also what was delivered already.',
  params: { id: webhookId, deliveryId },
  success: { status: 202, description: 'The delivery, on its way.', schema: 'WebhookDelivery' },
  errors: ['webhook_not_found', 'delivery_not_found', 'webhook_disabled', 'conflict'],
  async handle({ params, context }, { services: { webhooks } }) {
    const row = await webhooks.retry(params.id, params.deliveryId, context);
    return { status: 202, json: deliveryJson(row) };
  },
});

export const webhookDeliveryOperations = [
  testWebhook,
  replayWebhook,
  listWebhookDeliveries,
  getWebhookDelivery,
  retryWebhookDelivery,
];
