import type { WebhookDeliveryRow, WebhookEventRow } from '../contracts/rows.ts';

/** The one delivery of an event to a webhook, however often it is handed out. */
export function deliveryId(eventId: string, webhookId: string): string {
  return `delivery_${bare(eventId)}_${bare(webhookId)}`;
}

function bare(id: string): string {
  return id.slice(id.lastIndexOf('_') + 1);
}

export function newDelivery(
  event: Pick<WebhookEventRow, 'id' | 'type'>,
  webhookId: string,
  now: string,
): WebhookDeliveryRow {
  return {
    id: deliveryId(event.id, webhookId),
    revision: 1,
    webhookId,
    eventId: event.id,
    eventType: event.type,
    state: 'waiting',
    lane: webhookId,
    dueAt: now,
    attempts: 0,
    failures: 0,
    createdAt: now,
    completedAt: null,
    log: [],
  };
}

/** Put a delivery on the way once more: now, and from the beginning of the schedule. */
export function anew(webhookId: string, now: string) {
  return { state: 'waiting', lane: webhookId, dueAt: now, failures: 0, completedAt: null } as const;
}
