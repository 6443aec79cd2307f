import type { AuditEntryRow } from '@patchbay/core/storage';

export function auditJson(row: AuditEntryRow) {
  const { id, sequence, action, requestId, address, createdAt, details, previousHash, hash } = row;
  const resource = { type: row.resourceType, id: row.resourceId };
  const actor = { type: row.actorKind, id: row.actorId };
  return { id, sequence, action, resource, actor, requestId, address, createdAt, details, previousHash, hash };
}
