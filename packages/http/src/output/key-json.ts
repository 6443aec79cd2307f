import type { ApiKeyRow } from '@patchbay/core/storage';

/** A key without its secret, and without what the secret could be guessed at with. */
export function keyJson(row: ApiKeyRow): object {
  const { id, name, scopes, createdAt, createdBy, expiresAt, revokedAt } = row;
  const { ipAddresses, rateLimit, budget, lastUsedAt, rotatedAt, previousUntil } = row;
  const limits = { ipAddresses, rateLimit, budget };
  return {
    id,
    name,
    scopes,
    createdAt,
    createdBy,
    expiresAt,
    revokedAt,
    ...limits,
    lastUsedAt,
    rotatedAt,
    previousUntil,
  };
}
