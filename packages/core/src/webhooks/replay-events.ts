import { timestamp } from '../base/clock.ts';
import type { WebhookDeliveryRow, WebhookEventRow, WebhookRow } from '../contracts/rows.ts';
import type { Write } from '../contracts/storage.ts';
import type { TenantId } from '../contracts/tenant.ts';
import type { Replay } from '../events/webhook-jobs.ts';
import { asksFor } from '../events/webhook-outbox.ts';
import { anew, deliveryId, newDelivery } from './delivery-rows.ts';
import type { LaneStorage } from './lane-parts.ts';
import { wakeLane } from './wake-lane.ts';

/** Small, as a page is one commit, and nothing else happens while it is written. */
const PAGE = 25;

/** How often a page is tried against others that change the same deliveries. */
const ATTEMPTS = 20;

/** Put every event of a span of time on the way to a webhook that asks for it and has not taken it. */
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
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const ids = events.map((event) => deliveryId(event.id, id));
    const rows = await Promise.all(ids.map((each) => storage.get(tenant, 'webhookDeliveries', each)));
    const now = timestamp(clock);
    const writes = events.flatMap((event, index) => replayWrites(event, rows[index], id, now));
    if (writes.length === 0 || (await wakeLane(parts, tenant, id, writes)).done) return;
  }
  throw new Error('the deliveries of a webhook were changed by others all the time');
}

function replayWrites(
  event: WebhookEventRow,
  row: WebhookDeliveryRow | undefined,
  webhookId: string,
  now: string,
): readonly Write[] {
  if (row === undefined) return [{ insert: 'webhookDeliveries', row: newDelivery(event, webhookId, now) }];
  // One that is due is on its way; it may be being sent right now.
  const isUnderWay = row.state === 'waiting' && (row.dueAt ?? '') <= now;
  if (row.state === 'delivered' || isUnderWay) return [];
  return [{ update: 'webhookDeliveries', id: row.id, set: anew(webhookId, now), ifRevision: row.revision }];
}
