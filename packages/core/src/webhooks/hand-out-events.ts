import { timestamp } from '@patchbay/contracts/base/clock';
import { retryRefused } from '@patchbay/contracts/base/stored-rows';
import type { WebhookDeliveryRow, WebhookEventRow, WebhookRow } from '@patchbay/contracts/rows';
import type { Write } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import { ALL_WEBHOOKS, asksFor, type Replay } from '../events/webhook-outbox.ts';
import { anew, deliveryId, newDelivery } from './deliveries.ts';
import type { LaneStorage } from './lane-dependencies.ts';
import { wakeLane } from './lane-hold.ts';

/** Queue events for every webhook that subscribes to them. Deliveries that exist already stay as they are. */
export async function handOutEvents(parts: LaneStorage, tenant: TenantId, eventIds: readonly string[]): Promise<void> {
  const { storage, clock } = parts;
  const found = await Promise.all(eventIds.map((id) => storage.get(tenant, 'webhookEvents', id)));
  const events = found.filter((event) => event !== undefined);
  const { rows: webhooks } = await storage.list(tenant, 'webhooks', ALL_WEBHOOKS);
  const now = timestamp(clock);
  const handing = webhooks.map(async (webhook) => {
    const deliveries = events
      .filter((event) => isFor(webhook, event))
      .map((each) => newDelivery(each, webhook.id, now));
    if (deliveries.length > 0) await handOut(parts, tenant, webhook.id, deliveries);
  });
  await Promise.all(handing);
}

/** Events for a disabled webhook are kept, and sent by a replay once it is enabled again. */
function isFor(webhook: WebhookRow, { type, webhookId }: WebhookEventRow): boolean {
  return webhook.enabled && (webhookId === null ? asksFor(webhook, type) : webhookId === webhook.id);
}

async function handOut(
  parts: LaneStorage,
  tenant: TenantId,
  webhookId: string,
  deliveries: readonly WebhookDeliveryRow[],
): Promise<void> {
  const inserts = (rows: readonly WebhookDeliveryRow[]) =>
    rows.map((row): Write => ({ insert: 'webhookDeliveries', row }));
  const result = await wakeLane(parts, tenant, webhookId, inserts(deliveries));
  if (result.done) return;
  // The job is delivered for the second time: a server died before it could settle it.
  const rows = await Promise.all(deliveries.map(({ id }) => parts.storage.get(tenant, 'webhookDeliveries', id)));
  const missing = deliveries.filter((_, index) => rows[index] === undefined);
  const again = await wakeLane(parts, tenant, webhookId, inserts(missing));
  if (!again.done) throw new Error('another process is dispatching the same events');
}

/** Small, because a page is one commit, and nothing else runs while it is written. */
const PAGE = 25;

/** Queue every event of a time span that a webhook subscribes to and has not accepted. */
export async function replayEvents(
  parts: LaneStorage,
  tenant: TenantId,
  { webhookId, since, until }: Replay,
  signal: AbortSignal,
): Promise<void> {
  const { storage } = parts;
  const webhook = await storage.get(tenant, 'webhooks', webhookId);
  if (!webhook?.enabled) return;
  let after = { value: since, id: '' };
  for (;;) {
    signal.throwIfAborted();
    const query = { sort: 'createdAt', order: 'asc', limit: PAGE, after } as const;
    const { rows } = await storage.list(tenant, 'webhookEvents', query);
    const events = rows.filter(
      (event) => event.createdAt <= until && event.webhookId === null && asksFor(webhook, event.type),
    );
    if (events.length > 0) await replayPage(parts, tenant, webhook, events);
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE || last.createdAt > until) return;
    after = { value: last.createdAt, id: last.id };
  }
}

async function replayPage(
  parts: LaneStorage,
  tenant: TenantId,
  { id }: WebhookRow,
  events: readonly WebhookEventRow[],
): Promise<void> {
  const { storage, clock } = parts;
  await retryRefused('too many concurrent changes to the deliveries of a webhook', async () => {
    const ids = events.map((event) => deliveryId(event.id, id));
    const rows = await Promise.all(ids.map((each) => storage.get(tenant, 'webhookDeliveries', each)));
    const now = timestamp(clock);
    const writes = events.flatMap((event, index) => replayWrites(event, rows[index], id, now));
    return writes.length === 0 || (await wakeLane(parts, tenant, id, writes)).done || undefined;
  });
}

function replayWrites(
  event: WebhookEventRow,
  row: WebhookDeliveryRow | undefined,
  webhookId: string,
  now: string,
): readonly Write[] {
  if (row === undefined) return [{ insert: 'webhookDeliveries', row: newDelivery(event, webhookId, now) }];
  // One that is due is in progress; its request may be in flight right now.
  const isUnderWay = row.state === 'waiting' && (row.dueAt ?? '') <= now;
  if (row.state === 'delivered' || isUnderWay) return [];
  return [{ update: 'webhookDeliveries', id: row.id, set: anew(webhookId, now), ifRevision: row.revision }];
}
