import type { CallRecord } from '../../api/operations.generated.ts';
import { Badge } from '../../parts/badge.tsx';

const kinds = {
  completed: 'good',
  cached: 'good',
  repaired: 'warn',
  failed: 'bad',
  cancelled: 'plain',
} as const satisfies Readonly<Record<CallRecord['outcome'], string>>;

/** Every way in which calls end. */
export const outcomes: readonly string[] = Object.keys(kinds);

/** How a call ended, as a word. */
export function CallOutcome({ outcome }: Pick<CallRecord, 'outcome'>) {
  return <Badge kind={kinds[outcome]}>{outcome}</Badge>;
}

/** What was called: a name, or the kind of the call. */
export function callTitle({ name, id }: Pick<CallRecord, 'name' | 'id'>): string {
  return name ?? id.split('_', 1)[0] ?? id;
}
