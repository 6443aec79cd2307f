import type { Clock } from '@patchbay/contracts/clock';
import type { Logger } from '@patchbay/contracts/context';
import type { ScheduleRow } from '@patchbay/contracts/rows';
import type { Storage } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import { lostItsKey } from '../../access/lost-its-key.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { schedulePaused } from '../../events/webhook-outbox.ts';
import { restoredPrincipal } from '../executions/queued-executions.ts';

interface PausingParts {
  readonly storage: Storage;
  readonly audit: Pick<AuditLog, 'commit'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Schedules of one installation. */
export const MAX_SCHEDULES = 10_000;

/** Pause the schedules of keys that were revoked or have expired. */
export async function pauseOfLostKeys(parts: PausingParts): Promise<void> {
  const isLost = new Map<string, boolean>();
  for (const { tenant, row } of await parts.storage.scanAllTenants('schedules', { state: 'active' }, MAX_SCHEDULES)) {
    const caller = restoredPrincipal(tenant, row.principal);
    const key = JSON.stringify([tenant, caller.kind, caller.id]);
    if (!isLost.has(key)) isLost.set(key, await lostItsKey(parts, caller));
    if (isLost.get(key)) await pauseWithoutKey(parts, tenant, row);
  }
}

/** `pauseOfLostKeys` after a key was revoked. Never rejects: servers repeat it from time to time. */
export async function pauseOfRevokedKey(parts: PausingParts & { readonly logger: Logger }): Promise<void> {
  try {
    await pauseOfLostKeys(parts);
  } catch (error) {
    parts.logger.warn('the schedules of a revoked key could not be paused; it is tried again', { error });
  }
}

/** Pause a schedule whose key is no longer valid. */
export async function pauseWithoutKey(
  { audit }: Pick<PausingParts, 'audit'>,
  tenant: TenantId,
  schedule: ScheduleRow,
): Promise<void> {
  const { id, revision: ifRevision } = schedule;
  const caller = restoredPrincipal(tenant, schedule.principal);
  const set = { state: 'paused', pausedReason: 'key_revoked' } as const;
  await audit.commit({ caller }, [{ update: 'schedules', id, set, ifRevision }], {
    action: 'schedule.paused',
    resource: { type: 'schedule', id },
    details: { functionId: schedule.functionId, reason: set.pausedReason },
    announces: [schedulePaused(schedule, set.pausedReason)],
  });
}
