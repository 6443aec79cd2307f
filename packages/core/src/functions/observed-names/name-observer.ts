import { timestamp } from '@patchbay/contracts/base/clock';
import { retryRefused } from '@patchbay/contracts/base/stored-rows';
import type { Clock } from '@patchbay/contracts/clock';
import type { Logger } from '@patchbay/contracts/context';
import type { ObservedNameRow } from '@patchbay/contracts/rows';
import type { Storage, Write } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import { merge, type Observation, observe, observedNameId, observedRow, type UnknownCall } from './observation.ts';

export interface NameObserverDependencies {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly logger: Logger;
}

export type NameObserver = ReturnType<typeof createNameObserver>;

/** Maximum number of unsaved names, over all tenants. Further ones are ignored until these are stored. */
const MAX_WAITING = 1_000;

/** Maximum number of names per tenant: the most recently called ones. */
const MAX_STORED = 1_000;

const BATCH = 100;

/** Valid names of functions. */
const observable = /^[^\p{Cc}]{1,200}$/u;

/** Counts calls of unknown names: in memory, and periodically in the storage. */
export function createNameObserver({ storage, clock, logger }: NameObserverDependencies) {
  let waiting = new Map<TenantId, Map<string, Observation>>();
  let count = 0;
  let last: Promise<unknown> = Promise.resolve();

  const put = (tenant: TenantId, seen: Observation): void => {
    const names = waiting.get(tenant) ?? new Map<string, Observation>();
    const known = names.get(seen.name);
    if (!known && count >= MAX_WAITING) return;
    if (!known) count += 1;
    names.set(seen.name, known ? merge(known, seen) : seen);
    waiting.set(tenant, names);
  };

  /** Other processes count the same names; a conflicting commit is retried. */
  const write = (tenant: TenantId, batch: readonly Observation[]) =>
    retryRefused('too many concurrent changes to observed names', async () => {
      const writes = await Promise.all(
        batch.map(async (seen) => {
          const id = observedNameId(tenant, seen.name);
          const stored = await storage.get(tenant, 'observedNames', id);
          return writeOf(observedRow(id, stored, seen));
        }),
      );
      return (await storage.commit(tenant, writes)).done || undefined;
    });

  const writeAll = async (): Promise<void> => {
    const taken = waiting;
    waiting = new Map();
    count = 0;
    let failure: { readonly error: unknown } | undefined;
    for (const [tenant, names] of taken) {
      const all = [...names.values()];
      for (let from = 0; from < all.length; from += BATCH) {
        const batch = all.slice(from, from + BATCH);
        try {
          // If a commit succeeds but reports a failure, calls are counted twice: the counts are not for billing.
          await write(tenant, batch);
        } catch (error) {
          failure = { error };
          for (const seen of batch) put(tenant, seen);
        }
      }
      try {
        if (failure === undefined) await forgetOldest(storage, tenant);
      } catch (error) {
        failure = { error };
      }
    }
    if (failure) throw failure.error;
  };

  const flush = async (): Promise<void> => {
    const turn = last.then(writeAll);
    last = turn.catch(() => undefined);
    await turn;
  };

  return {
    /** Store all observations so far. Rejects, and keeps them, if the storage fails. */
    flush,
    /** Never fails and never waits. */
    observe(tenant: TenantId, call: UnknownCall): void {
      if (observable.test(call.name)) put(tenant, observe(call, timestamp(clock)));
    },

    async stop(): Promise<void> {
      await flush().catch((error: unknown) => {
        logger.warn('observed names could not be written before the shutdown', { names: count, error });
      });
    },
  };
}

function writeOf(row: ObservedNameRow): Write {
  const { id, revision, ...set } = row;
  if (revision === 1) return { insert: 'observedNames', row };
  return { update: 'observedNames', id, set, ifRevision: revision - 1 };
}

async function forgetOldest(storage: Storage, tenant: TenantId): Promise<void> {
  for (;;) {
    const query = { sort: 'lastSeenAt', order: 'asc', limit: BATCH, select: ['id', 'lastSeenAt'] } as const;
    const { rows, total } = await storage.list(tenant, 'observedNames', query);
    const old = rows.slice(0, Math.max(0, total - MAX_STORED));
    if (old.length === 0) return;
    // Another process may have deleted some of them.
    await Promise.all(old.map(({ id }) => storage.commit(tenant, [{ delete: 'observedNames', id }])));
  }
}
