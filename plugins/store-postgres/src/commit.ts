import type { TenantId } from '@patchbay/core/plugin';
import type { CommitResult, Write } from '@patchbay/core/storage';
import {
  applyInRounds,
  type CountChange,
  changesNoCount,
  countStatements,
  type WriteStatements,
} from '@patchbay/store-typeorm';
import type { Session } from './session.ts';

/**
 * One commit as one transaction. Writes that have nothing to do with each other are sent together, the counters with
 * the end: they come last, because everybody else waits for who holds one.
 *
 * A failure leaves the transaction open.
 */
export async function commit(
  session: Session,
  statements: WriteStatements,
  tenant: TenantId,
  writes: readonly Write[],
): Promise<CommitResult> {
  const counts: CountChange[] = [];
  const rounds = applyInRounds(statements, tenant, writes, counts);
  const first = rounds.next();
  // Then there is one statement that changes something, and it is a transaction by itself.
  const alone = writes.length === 1 && writes.every(changesNoCount);
  let round = first;
  while (round.done !== true) {
    const results = await session.send(round.value, round === first && !alone ? { before: 'BEGIN' } : {});
    round = rounds.next(results);
  }
  if (alone) return round.value;
  if (round.value.done) await session.send(countStatements(statements, counts), { after: 'COMMIT' });
  else await session.send([], { after: 'ROLLBACK' });
  return round.value;
}
