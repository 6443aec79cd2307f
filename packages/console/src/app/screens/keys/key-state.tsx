import type { Key } from '../../api/operations.generated.ts';
import { Badge } from '../../parts/badge.tsx';

const SOON_MS = 7 * 86_400_000;

/** Whether a key can be used, as a word. */
export function KeyState({ revokedAt, expiresAt }: Pick<Key, 'revokedAt' | 'expiresAt'>) {
  if (revokedAt !== null) return <Badge kind="bad">revoked</Badge>;
  const left = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - Date.now();
  if (left <= 0) return <Badge kind="bad">expired</Badge>;
  return left < SOON_MS ? <Badge kind="warn">expires soon</Badge> : <Badge kind="good">active</Badge>;
}

export function budgetText(budget: Key['budget']): string | undefined {
  return budget ? `$${budget.usd} per ${budget.period}` : undefined;
}
