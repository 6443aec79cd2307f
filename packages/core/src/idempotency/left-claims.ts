import type { Storage } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';

/** The end that a claim must get: `free`, because nothing was run, or `lost`, because something was. */
export type ClaimEnd = 'free' | 'lost';

interface LeftClaim {
  readonly tenant: TenantId;
  readonly end: ClaimEnd;
  settling: Promise<void> | undefined;
}

/**
 * Claims of this process whose end could not be written, because the storage was unavailable. For as long as this
 * process lives, others would take each for a request that is still running.
 *
 * @param isOurs Whether a request of this process holds the claim, or is about to: then it is not abandoned.
 */
export function createLeftClaims(
  storage: Pick<Storage, 'get' | 'commit'>,
  owner: string,
  isOurs: (id: string) => boolean,
) {
  const claims = new Map<string, LeftClaim>();

  const write = async (id: string, { tenant, end }: LeftClaim): Promise<void> => {
    const row = await storage.get(tenant, 'idempotencyKeys', id);
    if (isOurs(id)) return;
    if (row?.owner === owner && row.status === 'running') {
      const { revision: ifRevision } = row;
      const write =
        end === 'free'
          ? ({ delete: 'idempotencyKeys', id, ifRevision } as const)
          : ({ update: 'idempotencyKeys', id, set: { status: 'lost' }, ifRevision } as const);
      await storage.commit(tenant, [write]);
    }
    claims.delete(id);
  };
  /** @throws what the storage throws; then it is retried. */
  const settle = async (id: string): Promise<void> => {
    const claim = claims.get(id);
    if (claim === undefined || isOurs(id)) return;
    // One at a time: a second one could end a claim that was made after the first.
    claim.settling ??= write(id, claim).finally(() => {
      claim.settling = undefined;
    });
    await claim.settling;
  };

  return {
    settle,
    async settleAll(): Promise<void> {
      for (const id of claims.keys()) await settle(id);
    },
    keep: (tenant: TenantId, id: string, end: ClaimEnd) => void claims.set(id, { tenant, end, settling: undefined }),
  };
}
