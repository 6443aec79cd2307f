import type { Storage } from '../contracts/storage.ts';
import type { TenantId } from '../contracts/tenant.ts';

/** The end that a claim must get: `free`, because nothing was run, or `lost`, because something was. */
export type ClaimEnd = 'free' | 'lost';

interface LeftClaim {
  readonly tenant: TenantId;
  readonly end: ClaimEnd;
  settling: Promise<void> | undefined;
}

/**
 * Claims of this process whose end could not be written, because the storage was away. Other processes would take each
 * for a request that still runs, as long as this one lives.
 */
export class LeftClaims {
  readonly #storage: Pick<Storage, 'get' | 'commit'>;
  readonly #owner: string;
  readonly #isOurs: (id: string) => boolean;
  readonly #claims = new Map<string, LeftClaim>();

  /** @param isOurs Whether a request of this process holds the claim, or is about to: then it is not left. */
  constructor(storage: Pick<Storage, 'get' | 'commit'>, owner: string, isOurs: (id: string) => boolean) {
    this.#storage = storage;
    this.#owner = owner;
    this.#isOurs = isOurs;
  }

  keep(tenant: TenantId, id: string, end: ClaimEnd): void {
    this.#claims.set(id, { tenant, end, settling: undefined });
  }

  /** @throws what the storage throws; then it is tried again. */
  async settle(id: string): Promise<void> {
    const claim = this.#claims.get(id);
    if (claim === undefined || this.#isOurs(id)) return;
    // One at a time: a second one could end a claim that was made after the first.
    claim.settling ??= this.#write(id, claim).finally(() => {
      claim.settling = undefined;
    });
    await claim.settling;
  }

  async settleAll(): Promise<void> {
    for (const id of this.#claims.keys()) await this.settle(id);
  }

  async #write(id: string, { tenant, end }: LeftClaim): Promise<void> {
    const row = await this.#storage.get(tenant, 'idempotencyKeys', id);
    if (this.#isOurs(id)) return;
    if (row?.owner === this.#owner && row.status === 'running') {
      const { revision: ifRevision } = row;
      const write =
        end === 'free'
          ? ({ delete: 'idempotencyKeys', id, ifRevision } as const)
          : ({ update: 'idempotencyKeys', id, set: { status: 'lost' }, ifRevision } as const);
      await this.#storage.commit(tenant, [write]);
    }
    this.#claims.delete(id);
  }
}
