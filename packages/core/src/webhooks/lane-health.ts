import { laterThan, timestamp } from '@patchbay/contracts/base/clock';
import { retryRefused } from '@patchbay/contracts/base/stored-rows';
import type { Clock } from '@patchbay/contracts/clock';
import type { Principal } from '@patchbay/contracts/context';
import type { WebhookLaneRow, WebhookRow } from '@patchbay/contracts/rows';
import type { Storage } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import type { AuditLog } from '../audit/audit-log.ts';
import { webhookDisabled } from '../events/webhook-outbox.ts';
import type { AttemptOutcome } from './deliveries.ts';

/** The recent health of a webhook's receiver. */
export type LaneHealth = Pick<WebhookLaneRow, 'failingSince' | 'throttles' | 'pausedUntil'>;

export const healthy: LaneHealth = { failingSince: null, throttles: 0, pausedUntil: null };

const FAILING_MS = 5 * 86_400_000;

const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** The health after an outcome; undefined if it stays the same. */
export function healthAfter(health: LaneHealth, outcome: AttemptOutcome, now: number): LaneHealth | undefined {
  if (outcome.kind === 'delivered') {
    return health.failingSince === null && health.throttles === 0 && health.pausedUntil === null ? undefined : healthy;
  }
  const failingSince = health.failingSince ?? timeOf(now);
  if (outcome.kind === 'failed' && outcome.throttled === true) {
    const pauseMs = outcome.retryAfterMs ?? PAUSE_MS * 2 ** Math.min(health.throttles, 16);
    const pausedUntil = timeOf(now + Math.min(Math.max(pauseMs, PAUSE_MS), LONGEST_PAUSE_MS));
    return { failingSince, throttles: health.throttles + 1, pausedUntil };
  }
  return health.failingSince === null ? { ...health, failingSince } : undefined;
}

/** Whether every attempt has failed long enough to disable the webhook. */
export function hasFailedTooLong({ failingSince }: LaneHealth, now: number): boolean {
  return failingSince !== null && now - Date.parse(failingSince) >= FAILING_MS;
}

function timeOf(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

interface DisableDependencies {
  readonly storage: Storage;
  readonly audit: Pick<AuditLog, 'commit'>;
  readonly clock: Clock;
}

/** Disable a webhook on behalf of the server, unless its URL has changed meanwhile. */
export async function disableWebhook(
  { storage, audit, clock }: DisableDependencies,
  tenant: TenantId,
  { id, url }: Pick<WebhookRow, 'id' | 'url'>,
  reason: NonNullable<WebhookRow['disabledReason']>,
): Promise<void> {
  const caller: Principal = { id: 'webhooks', kind: 'service', tenant, scopes: [] };
  await retryRefused('too many concurrent changes to a webhook that is to be disabled', async () => {
    const row = await storage.get(tenant, 'webhooks', id);
    if (row === undefined || !row.enabled || row.url !== url) return true;
    const set = {
      enabled: false,
      disabledReason: reason,
      disabledAt: timestamp(clock),
      updatedAt: laterThan(row.updatedAt, clock),
    };
    const { done } = await audit.commit({ caller }, [{ update: 'webhooks', id, set, ifRevision: row.revision }], {
      action: 'webhook.disabled',
      resource: { type: 'webhook', id },
      details: { reason },
      announces: [webhookDisabled(id, reason)],
    });
    return done || undefined;
  });
}
