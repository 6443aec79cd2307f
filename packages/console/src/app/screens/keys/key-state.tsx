import type { Key } from '../../api/operations.generated.ts';
import { Badge } from '../../parts/badge.tsx';

const DAY_MS = 86_400_000;
const SOON_MS = 7 * DAY_MS;

/** Whether a key can be used, as a word. */
export function KeyState({ revokedAt, createdAt, expiresAt }: Pick<Key, 'revokedAt' | 'createdAt' | 'expiresAt'>) {
  if (revokedAt !== null) return <Badge kind="bad">revoked</Badge>;
  const left = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - Date.now();
  if (left <= 0) return <Badge kind="bad">expired</Badge>;
  // Like those of a sign-in, which are renewed by signing in again.
  const isShort = expiresAt !== null && Date.parse(expiresAt) - Date.parse(createdAt) <= DAY_MS;
  return left < SOON_MS && !isShort ? <Badge kind="warn">expires soon</Badge> : <Badge kind="good">active</Badge>;
}

export function budgetText(budget: Key['budget']): string | undefined {
  return budget ? `$${budget.usd} per ${budget.period}` : undefined;
}
