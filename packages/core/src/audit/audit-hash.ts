import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { RootSecret } from '../contracts/root-secret.ts';
import type { AuditEntryRow } from '../contracts/rows.ts';
import type { TenantId } from '../contracts/tenant.ts';

/** Everything that the hash of an entry vouches for. */
export type HashedEntry = Omit<AuditEntryRow, 'hash' | 'revision'>;

/**
 * The hash of an entry, over all its fields, the tenant and the hash of the entry before. Keyed: whoever can write to
 * the database, but has not the root secret, cannot make a chain that passes.
 */
export function auditHash(key: KeyObject, tenant: TenantId, entry: HashedEntry): string {
  const { id, sequence, action, resourceType, resourceId, actorId, actorKind } = entry;
  const { requestId, address, createdAt, details, previousHash } = entry;
  const what = [id, sequence, action, resourceType, resourceId, actorId, actorKind];
  const fields = [1, tenant, ...what, requestId, address, createdAt, details, previousHash];
  return createHmac('sha256', key).update(JSON.stringify(fields)).digest('hex');
}

export function auditKey(rootSecret: Pick<RootSecret, 'derive'>): KeyObject {
  return createSecretKey(rootSecret.derive('audit log'));
}
