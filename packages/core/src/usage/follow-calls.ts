import { Wakeup } from '@patchbay/contracts/base/signals';
import type { Clock } from '@patchbay/contracts/clock';
import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { CallRecordRow, Filter } from '@patchbay/contracts/rows';
import type { Storage } from '@patchbay/contracts/storage';
import { hasExpired, lostItsKey } from '../access/lost-its-key.ts';
import type { Position } from '../paging/cursor.ts';
import type { UsageLedger } from './usage-ledger.ts';

/** Servers collect records before they write them: calls are passed on once all of the same time have arrived. */
const SETTLED_MS = 1_000;
const POLL_MS = 500;
const IDLE_MS = 15_000;
/** A reader then connects again, with its credentials. */
const LONGEST_MS = 300_000;
const PAGE = 100;

export interface FollowDependencies {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ledger: Pick<UsageLedger, 'flush'>;
  /** Whether the server is shutting down. */
  readonly isDraining: () => boolean;
}

/**
 * Calls in the order in which they ended, on all servers, from a position or from now on: those that have ended, and
 * further ones as they end. Undefined after a time without one. Ends after some minutes.
 *
 * @throws PatchbayError `key_revoked`, `token_expired` or `shutting_down`.
 */
export async function* followCalls(
  dependencies: FollowDependencies,
  where: Filter<'callRecords'>,
  from: Position | undefined,
  { caller, signal }: Pick<RequestContext, 'caller' | 'signal'>,
): AsyncGenerator<CallRecordRow | undefined> {
  const { storage, clock, ledger, isDraining } = dependencies;
  const settled = () => new Date(clock.now() - SETTLED_MS).toISOString();
  const begun = clock.monotonic();
  let passed = begun;
  let after = from ?? { value: settled(), id: '' };
  while (clock.monotonic() - begun < LONGEST_MS) {
    signal.throwIfAborted();
    if (isDraining()) throw new PatchbayError('shutting_down', 'the server is shutting down');
    if (hasExpired(caller, clock)) throw new PatchbayError('token_expired', 'the credentials have expired');
    if (await lostItsKey(dependencies, caller)) throw new PatchbayError('key_revoked', 'the API key was revoked');
    await ledger.flush();
    const until = settled();
    const query = { where, sort: 'createdAt', order: 'asc', from: after.value, after, limit: PAGE } as const;
    const { rows } = await storage.list(caller.tenant, 'callRecords', query);
    const ended = rows.filter(({ createdAt }) => createdAt <= until);
    for (const row of ended) {
      after = { value: row.createdAt, id: row.id };
      passed = clock.monotonic();
      yield row;
    }
    if (ended.length === PAGE) continue;
    if (clock.monotonic() - passed >= IDLE_MS) {
      passed = clock.monotonic();
      yield undefined;
    }
    await new Wakeup().wait(signal, POLL_MS);
  }
}
