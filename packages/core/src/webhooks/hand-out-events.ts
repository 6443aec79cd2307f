import { timestamp } from '../base/clock.ts';
import type { WebhookDeliveryRow, WebhookEventRow, WebhookRow } from '../contracts/rows.ts';
import type { Write } from '../contracts/storage.ts';
import type { TenantId } from '../contracts/tenant.ts';
import { ALL_WEBHOOKS, asksFor } from '../events/webhook-outbox.ts';
import { newDelivery } from './delivery-rows.ts';
import type { LaneStorage } from './lane-parts.ts';
import { wakeLane } from './wake-lane.ts';

/** Put events on the way to every webhook that asks for them. Those that are on the way already stay as they are. */
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

/** What comes while a webhook is disabled is kept, and sent where somebody asks for it once it is enabled again. */
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
  // The job comes for the second time: a server died before it could settle it.
  const rows = await Promise.all(deliveries.map(({ id }) => parts.storage.get(tenant, 'webhookDeliveries', id)));
  const missing = deliveries.filter((_, index) => rows[index] === undefined);
  const again = await wakeLane(parts, tenant, webhookId, inserts(missing));
  if (!again.done) throw new Error('events are being handed out by somebody else');
}
