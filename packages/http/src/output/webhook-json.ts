import type { WebhookDeliveryRow, WebhookRow } from '@patchbay/core/storage';

/** A webhook without its secrets. */
export function webhookJson(row: WebhookRow) {
  const { id, url, events, description, enabled, disabledReason, disabledAt } = row;
  const { previousUntil, createdAt, createdBy, updatedAt } = row;
  const state = { enabled, disabledReason, disabledAt };
  return { id, url, events, description, ...state, previousUntil, createdAt, createdBy, updatedAt };
}

export function deliveryJson(row: WebhookDeliveryRow): object {
  const { id, webhookId, eventId, eventType, state, attempts, dueAt, createdAt, completedAt, log } = row;
  return { id, webhookId, eventId, eventType, state, attempts, nextAttemptAt: dueAt, createdAt, completedAt, log };
}
