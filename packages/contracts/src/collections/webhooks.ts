import type { JsonObject } from '../json.ts';
import { json, oneOf, oneOfOrNull, rowFields } from './fields.ts';

/** Why the server disables a webhook: it responded with 410, or every attempt has failed for days. */
export const disabledReasons = ['gone', 'failing'] as const;

/** State of a delivery. `failed`: no further attempts. */
export const deliveryStates = ['waiting', 'delivered', 'failed'] as const;

/** One attempt to deliver an event. */
export interface WebhookAttempt {
  readonly at: string;
  /** Status of the response. Null where there was none. */
  readonly status: number | null;
  readonly durationMs: number;
  /** Reason of a failure; null after a success. */
  readonly failure: string | null;
  /** The beginning of the response, as text. */
  readonly response: string;
}

/** An address that events are sent to. */
export const webhooks = {
  fields: {
    ...rowFields,
    /** Slot among the webhooks of the tenant, which enforces their maximum. Unique over all tenants. */
    slot: 'string',
    url: 'text',
    /** The kinds of events that are sent; `*` is every kind. */
    events: json<readonly string[]>(),
    description: 'text',
    enabled: 'boolean',
    /** Why the server disabled it. Null where it is enabled, or its owner disabled it. */
    disabledReason: oneOfOrNull(disabledReasons),
    disabledAt: 'time?',
    /** Encrypted signing secret. */
    secret: 'string',
    /** Encrypted. The secret before the last rotation, which also signs until `previousUntil`. */
    previousSecret: 'string?',
    previousUntil: 'time?',
    createdAt: 'time',
    createdBy: 'string',
    updatedAt: 'time',
  },
  sort: ['createdAt'],
  filter: [],
  unique: ['slot'],
} as const;

/** An event for webhooks. Immutable; committed together with its change. */
export const webhookEvents = {
  fields: {
    ...rowFields,
    /** Such as `function.created`. */
    type: 'string',
    createdAt: 'time',
    data: json<JsonObject>(),
    /** The only recipient. Null: every webhook subscribed to its type. */
    webhookId: 'string?',
  },
  sort: ['createdAt'],
  filter: [],
  unique: [],
  scan: { where: [], sort: 'createdAt' },
} as const;

/** The delivery of an event to one webhook. */
export const webhookDeliveries = {
  fields: {
    ...rowFields,
    webhookId: 'string',
    eventId: 'string',
    eventType: 'string',
    state: oneOf(deliveryStates),
    /** The webhook's id while it waits; null once it has ended. */
    lane: 'string?',
    /** When it is tried next. Null once it has ended. */
    dueAt: 'time?',
    /** How often it was tried. */
    attempts: 'integer',
    /** Failures since it was last enqueued: its position in the retry schedule. */
    failures: 'integer',
    createdAt: 'time',
    completedAt: 'time?',
    /** The last attempts, oldest first. */
    log: json<readonly WebhookAttempt[]>(),
  },
  sort: ['createdAt', 'dueAt'],
  filter: ['webhookId', 'eventId', 'state', 'lane'],
  unique: [],
} as const;

/** The pending deliveries of a webhook: the job that sends them, and the state of the receiver. The id is the webhook's. */
export const webhookLanes = {
  fields: {
    ...rowFields,
    /** The token of the job that sends the deliveries that are due. Null: none is due. */
    run: 'string?',
    /** The end of that job's lease. */
    heldUntil: 'time?',
    /** The token of the job that runs when the next delivery is due. */
    alarm: 'string?',
    alarmAt: 'time?',
    /** Time at which something was last enqueued. */
    wokenAt: 'time',
    /** Every attempt since then has failed. Null: the last one did not. */
    failingSince: 'time?',
    /** Consecutive responses that asked for fewer requests. */
    throttles: 'integer',
    /** Nothing is sent until then. */
    pausedUntil: 'time?',
  },
  sort: ['wokenAt'],
  filter: [],
  unique: [],
} as const;
