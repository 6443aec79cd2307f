import { laterThan, timestamp } from '@patchbay/contracts/base/clock';
import { checkRevision, deletionError, findRow, retryRefused } from '@patchbay/contracts/base/stored-rows';
import { newId } from '@patchbay/contracts/base/type-id';
import type { Clock } from '@patchbay/contracts/clock';
import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { JsonObject } from '@patchbay/contracts/json';
import type { Queue } from '@patchbay/contracts/queue';
import type { WebhookDeliveryRow, WebhookLaneRow, WebhookRow } from '@patchbay/contracts/rows';
import type { Changes, Storage, Write } from '@patchbay/contracts/storage';
import type { AuditAction } from '../audit/audit-event.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { EventKindName } from '../events/event-kinds.ts';
import { ALL_WEBHOOKS, laneJob, laneTopic, type Replay } from '../events/webhook-outbox.ts';
import type { CursorCodec } from '../paging/cursor.ts';
import { listPage, type PageRequest, type PageResult } from '../paging/list-page.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { createDeliveryActions } from './delivery-actions.ts';
import { healthy } from './lane-health.ts';
import { checkWebhookUrl } from './sending/check-webhook-url.ts';
import type { WebhookOptions } from './webhook-options.ts';
import { newSecret, sealSecret } from './webhook-secrets.ts';

/** The fields of a webhook that its owner sets. */
export interface WebhookInput {
  readonly url: string;
  /** `*` is every type, including future ones. */
  readonly events: readonly (EventKindName | '*')[];
  /** Default: empty. */
  readonly description?: string;
  /** Default: true. */
  readonly enabled?: boolean;
}

/** A webhook with its secret, which is only shown once. */
export interface SecretWebhook {
  readonly row: WebhookRow;
  /** `whsec_` and the key in base64. */
  readonly secret: string;
}

/** The time span of a replay, in UTC. */
export type ReplayRequest = Omit<Replay, 'webhookId'>;

/** Manages the webhooks of tenants. Every method is limited to the caller's tenant, and throws `webhook_not_found`. */
export interface WebhookService {
  /** @throws PatchbayError `invalid_request` for a forbidden URL; `webhook_limit_reached`. */
  create(input: WebhookInput, context: RequestContext): Promise<SecretWebhook>;
  get(id: string, context: RequestContext): Promise<WebhookRow>;
  list(page: PageRequest<'createdAt'>, context: RequestContext): Promise<PageResult<WebhookRow>>;
  /**
   * Replace everything but the secret. Enabling sends pending deliveries, and resets the failure count.
   *
   * @throws PatchbayError `invalid_request`, `precondition_failed`, `conflict`.
   */
  replace(id: string, input: WebhookInput, context: RequestContext, ifRevision?: number): Promise<WebhookRow>;
  /** Delete a webhook with its pending deliveries. @throws PatchbayError `precondition_failed`. */
  delete(id: string, context: RequestContext, ifRevision?: number): Promise<void>;
  /** Rotate the secret. For a day, deliveries are also signed with the previous one. @throws PatchbayError `conflict`. */
  rotateSecret(id: string, context: RequestContext): Promise<SecretWebhook>;
  /** Send a test event. @returns The pending delivery. @throws PatchbayError `webhook_disabled`. */
  test(id: string, context: RequestContext): Promise<WebhookDeliveryRow>;
  /**
   * Send every undelivered event since then that the webhook subscribes to.
   *
   * @param since Any form of ISO 8601 with a zone.
   * @throws PatchbayError `webhook_disabled`, `invalid_request` for a time in the future.
   */
  replay(id: string, since: string, context: RequestContext): Promise<ReplayRequest>;
  listDeliveries(
    id: string,
    state: WebhookDeliveryRow['state'] | undefined,
    page: PageRequest<'createdAt'>,
    context: RequestContext,
  ): Promise<PageResult<WebhookDeliveryRow>>;
  /** @throws PatchbayError `delivery_not_found`. */
  getDelivery(id: string, deliveryId: string, context: RequestContext): Promise<WebhookDeliveryRow>;
  /** Send a delivery again, immediately. @throws PatchbayError `delivery_not_found`, `webhook_disabled`, `conflict`. */
  retry(id: string, deliveryId: string, context: RequestContext): Promise<WebhookDeliveryRow>;
}

export interface WebhookServiceDependencies {
  readonly storage: Storage;
  readonly queue: Pick<Queue, 'write' | 'notify'>;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly cursors: CursorCodec;
  readonly box: SecretBox;
  /** Those in force. */
  readonly options: () => WebhookOptions;
}

/** How often a new webhook is attempted beyond one attempt for each slot that others can take. */
const ATTEMPTS = 20;

/** Milliseconds for which the previous secret also signs. */
const OVERLAP_MS = 86_400_000;

export function createWebhookService(parts: WebhookServiceDependencies): WebhookService {
  const { storage, queue, audit, clock, box, options } = parts;

  const get: WebhookService['get'] = (id, context) => findRow(storage, 'webhooks', id, context);

  const checkUrl = ({ url }: WebhookInput): void => {
    const problem = checkWebhookUrl(url, options());
    if (problem === undefined) return;
    const errors = [{ pointer: '/url', code: 'url', detail: problem }];
    throw new PatchbayError('invalid_request', 'events cannot be sent to this URL', { errors });
  };

  /** Change a webhook, with retries against concurrent changes. */
  const change = async (
    id: string,
    action: AuditAction,
    context: RequestContext,
    make: (row: WebhookRow) => {
      readonly set: Changes<'webhooks'>;
      readonly along?: readonly Write[];
      readonly details?: JsonObject;
    },
    ifRevision?: number,
  ): Promise<WebhookRow> =>
    await retryRefused('too many concurrent changes to the webhook; read it again', async () => {
      const row = await get(id, context);
      checkRevision('webhooks', row, ifRevision);
      const { set: changed, along = [], details } = make(row);
      const set = { ...changed, updatedAt: laterThan(row.updatedAt, clock) };
      const update = { update: 'webhooks', id, set, ifRevision: row.revision } as const;
      const event = { action, resource: resource(id), ...(details && { details }) };
      const result = await audit.commit(context, [update, ...along], event);
      return result.done ? { ...row, ...set, revision: row.revision + 1 } : undefined;
    });

  return {
    ...createDeliveryActions(parts, get),
    get,

    list: (page, context) => listPage(parts, { collection: 'webhooks', page }, context),

    async create(input, context) {
      checkUrl(input);
      const { tenant } = context.caller;
      const secret = newSecret();
      const id = newId('webhook');
      const createdAt = timestamp(clock);
      const written = {
        id,
        revision: 1,
        ...fieldsOf(input, createdAt),
        secret: sealSecret(box, tenant, id, 'secret', secret),
        previousSecret: null,
        previousUntil: null,
        createdAt,
        createdBy: context.caller.id,
        updatedAt: createdAt,
      };
      const lane = newLane(id, createdAt);
      const details = { events: [...input.events] };
      const { maxPerTenant } = options();
      // Slots are taken one by one, so that concurrent requests cannot exceed the limit.
      for (let attempt = 0; attempt < maxPerTenant + ATTEMPTS; attempt += 1) {
        const { rows } = await storage.list(tenant, 'webhooks', ALL_WEBHOOKS);
        const row = { ...written, slot: freeSlot(tenant, rows, maxPerTenant) };
        const result = await audit.commit(
          context,
          [
            { insert: 'webhooks', row },
            { insert: 'webhookLanes', row: lane },
          ],
          { action: 'webhook.created', resource: resource(id), details },
        );
        if (result.done) return { row, secret };
      }
      throw new PatchbayError('conflict', 'too many concurrent requests create webhooks; retry the request');
    },

    async replace(id, input, context, ifRevision) {
      // Faults of the body are reported only for webhooks that exist, and only once the precondition holds.
      checkRevision('webhooks', await get(id, context), ifRevision);
      checkUrl(input);
      const { tenant } = context.caller;
      const row = await change(
        id,
        'webhook.updated',
        context,
        (before) => {
          const set = fieldsOf(input, before.disabledAt ?? timestamp(clock));
          const kept = before.enabled === set.enabled ? { disabledReason: before.disabledReason } : {};
          const details = { events: [...input.events], enabled: set.enabled };
          // Another URL is another receiver, which has not failed yet.
          const isNew = set.enabled && (!before.enabled || before.url !== set.url);
          if (!isNew) return { set: { ...set, ...kept }, details };
          const lane: Write = { update: 'webhookLanes', id, set: healthy };
          return { set, along: [lane, queue.write(tenant, laneJob(id))], details };
        },
        ifRevision,
      );
      queue.notify(laneTopic);
      return row;
    },

    async delete(id, context, ifRevision) {
      const writes: readonly Write[] = [
        { delete: 'webhooks', id, ...(ifRevision === undefined ? {} : { ifRevision }) },
        // Waiting deliveries are no longer visible, and are deleted with their events.
        { delete: 'webhookLanes', id },
      ];
      const result = await audit.commit(context, writes, { action: 'webhook.deleted', resource: resource(id) });
      if (!result.done) throw deletionError('webhooks', result.reason);
    },

    async rotateSecret(id, context) {
      const { tenant } = context.caller;
      const secret = newSecret();
      const row = await change(id, 'webhook.rotated', context, (before) => {
        const current = box.open(before.secret, { tenant, kind: 'webhooks.secret', id });
        const previous = current === undefined ? null : sealSecret(box, tenant, id, 'previousSecret', current);
        return {
          set: {
            secret: sealSecret(box, tenant, id, 'secret', secret),
            previousSecret: previous,
            previousUntil: previous === null ? null : new Date(clock.now() + OVERLAP_MS).toISOString(),
          },
        };
      });
      return { row, secret };
    },
  };
}

const resource = (id: string) => ({ type: 'webhook', id });

function fieldsOf({ url, events, description = '', enabled = true }: WebhookInput, disabledAt: string) {
  return {
    url,
    events: [...events],
    description,
    enabled,
    disabledReason: null,
    disabledAt: enabled ? null : disabledAt,
  };
}

function newLane(id: string, wokenAt: string): WebhookLaneRow {
  return { id, revision: 1, run: null, heldUntil: null, alarm: null, alarmAt: null, wokenAt, ...healthy };
}

/** @throws PatchbayError `webhook_limit_reached`. */
function freeSlot(tenant: string, rows: readonly WebhookRow[], max: number): string {
  const taken = new Set(rows.map(({ slot }) => slot));
  for (let place = 1; place <= max && rows.length < max; place += 1) {
    const slot = `${tenant}/${place}`;
    if (!taken.has(slot)) return slot;
  }
  throw new PatchbayError('webhook_limit_reached', `the tenant has reached the limit of ${max} webhooks`);
}
