import { eventKinds } from '@patchbay/core';
import { deliveryStates, disabledReasons } from '@patchbay/core/storage';
import { opaqueId as id, optionalTime, pageOf, responseObject, timeInput, timestamp } from './schema-object.ts';

const url = {
  type: 'string',
  minLength: 1,
  maxLength: 2_048,
  description: 'Where events are sent. https, to a public address, unless the operator has opened others.',
} as const;
const events = {
  type: 'array',
  description: 'The kinds of events that are sent; `*` is every kind, also those that come to exist later.',
  minItems: 1,
  maxItems: 32,
  uniqueItems: true,
  items: { type: 'string', enum: [...Object.keys(eventKinds), '*'] },
} as const;
const description = {
  type: 'string',
  maxLength: 1_000,
  default: '',
  description: 'What the webhook is for.',
} as const;
const enabled = { type: 'boolean', default: true, description: 'Whether events are sent.' } as const;

const webhook = {
  id,
  url: { type: 'string', description: 'Where events are sent.' },
  events: { type: 'array', items: { type: 'string' }, description: 'The kinds of events that are sent.' },
  description: { type: 'string' },
  enabled: { type: 'boolean' },
  disabledReason: {
    type: ['string', 'null'],
    enum: [...disabledReasons, null],
    description:
      'Why the server disabled it: it answered 410, or every attempt failed for five days. Null: it did not.',
  },
  disabledAt: optionalTime('Since when nothing is sent.'),
  previousUntil: optionalTime('Until when deliveries are signed with the secret before the last rotation as well.'),
  createdAt: timestamp,
  createdBy: { type: 'string', description: 'Who made the webhook.' },
  updatedAt: timestamp,
} as const;

const delivery = {
  id,
  webhookId: id,
  eventId: { type: 'string', description: 'The `webhook-id` of every attempt.' },
  eventType: { type: 'string', description: 'Such as `function.created`.' },
  state: {
    type: 'string',
    enum: deliveryStates,
    description: '`failed`: given up, after the last attempt of the schedule or an answer 410.',
  },
  attempts: { type: 'integer', minimum: 0, description: 'How often it was tried.' },
  nextAttemptAt: optionalTime('When it is tried next. Null once it has ended.'),
  createdAt: timestamp,
  completedAt: optionalTime('When it ended.'),
  log: {
    type: 'array',
    description: 'The last attempts, oldest first.',
    items: responseObject({
      at: timestamp,
      status: { type: ['integer', 'null'], description: 'Status of the answer. Null: there was none.' },
      durationMs: { type: 'integer', minimum: 0 },
      failure: { type: ['string', 'null'], description: 'Why it failed, such as `answer_timeout` or `status`.' },
      response: { type: 'string', description: 'The first KiB of the answer, without control characters.' },
    }),
  },
} as const;

export const webhookSchemas = {
  WebhookInput: {
    type: 'object',
    description: 'What the owner of a webhook decides.',
    properties: { url, events, description, enabled },
    required: ['url', 'events'],
    additionalProperties: false,
  },
  Webhook: responseObject(webhook, { description: 'A webhook, without its secret.' }),
  NewWebhook: responseObject(
    {
      ...webhook,
      secret: { type: 'string', description: 'What deliveries are signed with: `whsec_…`. Shown this once.' },
    },
    { description: 'A webhook with its secret.' },
  ),
  WebhookPage: pageOf('Webhook'),
  WebhookDelivery: responseObject(delivery, { description: 'An event on its way to a webhook.' }),
  WebhookDeliveryPage: pageOf('WebhookDelivery'),
  WebhookReplay: {
    type: 'object',
    properties: {
      since: {
        type: 'string',
        ...timeInput,
        description: 'The time of the first event. In the past.',
      },
    },
    required: ['since'],
    additionalProperties: false,
  },
  WebhookReplayed: responseObject({ since: timestamp, until: timestamp }),
} as const;
