import { timestamp } from '@patchbay/contracts/base/clock';
import type { WebhookAttempt, WebhookDeliveryRow, WebhookEventRow, WebhookRow } from '@patchbay/contracts/rows';
import type { Changes } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import type { LaneDependencies } from './lane-dependencies.ts';
import { delayBefore } from './sending/delivery-schedule.ts';
import type { FailedOutcome, SendOutcome } from './sending/send-outcome.ts';
import { openSecrets } from './webhook-secrets.ts';

/** The delivery of an event to a webhook, unique per pair. */
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

/** Queue a delivery again: now, and from the beginning of the schedule. */
export function anew(webhookId: string, now: string) {
  return { state: 'waiting', lane: webhookId, dueAt: now, failures: 0, completedAt: null } as const;
}

/** Attempts that are kept in the log of a delivery. */
const KEPT = 15;

/** The outcome of an attempt, even of one that could not be made. */
export type AttemptOutcome =
  | SendOutcome
  | (Omit<FailedOutcome, 'failure'> & {
      /** The secret was encrypted with a root secret that this server does not know. */
      readonly failure: 'secret_unreadable';
    });

/** Send an event to a webhook once. Rejects only with the reason of the signal. */
export async function attemptDelivery(
  parts: LaneDependencies,
  tenant: TenantId,
  webhook: WebhookRow,
  event: WebhookEventRow,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const { clock, box, logger, sender } = parts;
  const now = clock.now();
  const secrets = openSecrets(box, tenant, webhook, now);
  if (secrets.length === 0) {
    logger.error('the secret of a webhook cannot be decrypted: it was encrypted with an unknown root secret', {
      webhookId: webhook.id,
    });
    return { kind: 'failed', failure: 'secret_unreadable', durationMs: 0, responseExcerpt: '' };
  }
  const body = JSON.stringify({ type: event.type, timestamp: event.createdAt, data: event.data });
  return await sender.send({ url: webhook.url, id: event.id, timestamp: now, secrets, body, signal });
}

/** The changes to a delivery after an attempt. */
export function deliveryAfter(
  { clock, random }: Pick<LaneDependencies, 'clock' | 'random'>,
  row: WebhookDeliveryRow,
  outcome: AttemptOutcome,
  startedAt: number,
): Changes<'webhookDeliveries'> {
  const attempt: WebhookAttempt = {
    at: new Date(startedAt).toISOString(),
    status: outcome.status ?? null,
    durationMs: outcome.durationMs,
    failure: outcome.kind === 'delivered' ? null : outcome.kind === 'gone' ? 'status' : outcome.failure,
    response: outcome.responseExcerpt,
  };
  const tried = { attempts: row.attempts + 1, log: [...row.log, attempt].slice(-KEPT) };
  const ended = { lane: null, dueAt: null, completedAt: timestamp(clock) };
  if (outcome.kind === 'delivered') return { ...tried, ...ended, state: 'delivered', failures: 0 };
  const failures = row.failures + 1;
  const retryAfterMs = outcome.kind === 'failed' ? outcome.retryAfterMs : undefined;
  const delayMs = outcome.kind === 'gone' ? undefined : delayBefore(failures + 1, { random, retryAfterMs });
  if (delayMs === undefined) return { ...tried, ...ended, state: 'failed', failures };
  return { ...tried, failures, dueAt: new Date(clock.now() + delayMs).toISOString() };
}
