import type { WebhookRow } from '@patchbay/core/storage';
import { requiredRevision } from '../input/headers.ts';
import { bodyOf, defineOperation } from '../operation.ts';
import { viewOf } from '../output/view.ts';
import type { Reply } from '../output/wire.ts';
import type { PathParameter } from '../routing.ts';
import type { SecretWebhook, WebhookInput } from '../service-types.ts';
import { listQuery, pageReply } from './pages.ts';

export const webhookId: PathParameter = { description: 'Id of the webhook.', notFound: 'webhook_not_found' };

const body = bodyOf<WebhookInput>({
  schema: 'WebhookInput',
  limitBytes: 16_384,
  ignored: ['id', 'disabledReason', 'disabledAt', 'previousUntil', 'createdAt', 'createdBy', 'updatedAt'],
});

const view = viewOf('Webhook');
const viewNew = viewOf('NewWebhook');

function webhookReply(row: WebhookRow): Reply {
  return { json: view(row), revision: row.revision };
}

function secretReply({ row, secret }: SecretWebhook): Reply {
  return { json: viewNew({ ...row, secret }), revision: row.revision };
}

const write = { area: 'system', scope: 'webhooks:write' } as const;

const listWebhooks = defineOperation({
  id: 'listWebhooks',
  method: 'GET',
  path: '/webhooks',
  area: 'system',
  scope: 'webhooks:read',
  summary: 'List webhooks',
  description: 'The webhooks of the tenant, without their secrets.',
  query: listQuery(['createdAt']),
  success: { status: 200, description: 'A page of webhooks.', schema: 'WebhookPage' },
  errors: [],
  handle: ({ query, context }, { services: { webhooks } }) =>
    pageReply(query, (page) => webhooks.list(page, context), view),
});

const createWebhook = defineOperation({
  id: 'createWebhook',
  method: 'POST',
  path: '/webhooks',
  ...write,
  summary: 'Make a webhook',
  description: 'The secret that deliveries are signed with is in this answer and nowhere else.',
  body,
  success: {
    status: 201,
    description: 'The new webhook, with its secret.',
    schema: 'NewWebhook',
    headers: ['ETag', 'Location'],
  },
  errors: ['webhook_limit_reached', 'conflict'],
  async handle({ body: given, context }, { services: { webhooks } }) {
    const made = await webhooks.create(given, context);
    return { ...secretReply(made), location: `/webhooks/${made.row.id}` };
  },
});

const getWebhook = defineOperation({
  id: 'getWebhook',
  method: 'GET',
  path: '/webhooks/:id',
  area: 'system',
  scope: 'webhooks:read',
  summary: 'Read a webhook',
  description: 'Its URL, events and whether it is enabled. The secret was in the response that created the webhook.',
  params: { id: webhookId },
  preconditions: ['If-None-Match'],
  success: { status: 200, description: 'The webhook, without its secret.', schema: 'Webhook', headers: ['ETag'] },
  errors: ['webhook_not_found'],
  handle: async ({ params, context }, { services: { webhooks } }) =>
    webhookReply(await webhooks.get(params.id, context)),
});

const replaceWebhook = defineOperation({
  id: 'replaceWebhook',
  method: 'PUT',
  path: '/webhooks/:id',
  ...write,
  summary: 'Replace, enable or disable a webhook',
  description:
    'A full replacement of what its owner decides: what is left out gets its default, so a webhook without `enabled` is ' +
    'enabled. The secret stays. What waits is sent once the webhook is enabled again.',
  params: { id: webhookId },
  preconditions: ['If-Match'],
  body,
  success: { status: 200, description: 'The webhook as it is now.', schema: 'Webhook', headers: ['ETag'] },
  errors: ['webhook_not_found', 'precondition_failed', 'conflict'],
  async handle({ params, body: given, context, header }, { services: { webhooks } }) {
    const { id } = params;
    const revision = await requiredRevision(header, () => webhooks.get(id, context));
    return webhookReply(await webhooks.replace(id, given, context, revision));
  },
});

const deleteWebhook = defineOperation({
  id: 'deleteWebhook',
  method: 'DELETE',
  path: '/webhooks/:id',
  ...write,
  summary: 'Delete a webhook',
  description: 'Nothing is sent to it any more, also nothing that waits.',
  params: { id: webhookId },
  preconditions: ['If-Match'],
  success: { status: 200, description: 'The webhook is gone.', schema: 'Deletion' },
  errors: ['webhook_not_found', 'precondition_failed'],
  async handle({ params, context, header }, { services: { webhooks } }) {
    const { id } = params;
    const revision = await requiredRevision(header, () => webhooks.get(id, context));
    await webhooks.delete(id, context, revision);
    return { json: { success: true, message: `webhook ${id} was deleted` } };
  },
});

const rotateWebhookSecret = defineOperation({
  id: 'rotateWebhookSecret',
  method: 'POST',
  path: '/webhooks/:id/rotate-secret',
  ...write,
  summary: 'Give a webhook another secret',
  description: 'For 24 hours, deliveries are signed with the secret before as well; with one before that no more.',
  params: { id: webhookId },
  success: { status: 200, description: 'The webhook, with its new secret.', schema: 'NewWebhook', headers: ['ETag'] },
  errors: ['webhook_not_found', 'conflict'],
  async handle({ params, context }, { services: { webhooks } }) {
    return secretReply(await webhooks.rotateSecret(params.id, context));
  },
});

export const webhookOperations = [
  listWebhooks,
  createWebhook,
  getWebhook,
  replaceWebhook,
  deleteWebhook,
  rotateWebhookSecret,
];
