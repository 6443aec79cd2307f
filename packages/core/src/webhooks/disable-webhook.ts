import type { AuditLog } from '../audit/audit-log.ts';
import { laterThan, timestamp } from '../base/clock.ts';
import type { Clock } from '../contracts/clock.ts';
import type { Principal } from '../contracts/context.ts';
import type { WebhookRow } from '../contracts/rows.ts';
import type { Storage } from '../contracts/storage.ts';
import type { TenantId } from '../contracts/tenant.ts';
import { webhookDisabled } from '../events/webhook-event.ts';

interface DisableParts {
  readonly storage: Storage;
  readonly audit: Pick<AuditLog, 'commit'>;
  readonly clock: Clock;
}

/** How often it is tried against others that change the same webhook. */
const ATTEMPTS = 20;

/** Disable a webhook on behalf of the server, unless somebody has changed where it goes meanwhile. */
export async function disableWebhook(
  { storage, audit, clock }: DisableParts,
  tenant: TenantId,
  { id, url }: Pick<WebhookRow, 'id' | 'url'>,
  reason: NonNullable<WebhookRow['disabledReason']>,
): Promise<void> {
  const caller: Principal = { id: 'webhooks', kind: 'service', tenant, scopes: [] };
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const row = await storage.get(tenant, 'webhooks', id);
    if (row === undefined || !row.enabled || row.url !== url) return;
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
      announces: webhookDisabled(id, reason),
    });
    if (done) return;
  }
  throw new Error('a webhook that is to be disabled was changed by others all the time');
}
