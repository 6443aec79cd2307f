import { timestamp } from '../../base/clock.ts';
import { newId } from '../../base/type-id.ts';
import type { Clock } from '../../contracts/clock.ts';
import type { Logger } from '../../contracts/context.ts';
import type { Storage } from '../../contracts/storage.ts';
import { installationTenant } from '../../contracts/tenant.ts';
import { isInstanceGone } from './is-instance-gone.ts';
import type { ProcessIdentity } from './process-identity.ts';

export interface InstanceParts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly identity: ProcessIdentity;
  /** Milliseconds for which an instance is taken for alive after it last said so. */
  readonly leaseMs: number;
}

/** How often a lease is renewed within its time. */
const RENEWALS = 3;

/**
 * What tells other processes on the same storage that this one is alive, and so that its executions are its own. Where
 * it could not say so for the time of the lease, others may have closed them: it says so again before it starts more.
 */
export class InstanceLease {
  readonly id = newId('instance');
  readonly leaseMs: number;
  /** How often it has to be renewed. */
  readonly renewMs: number;
  readonly #parts: InstanceParts;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #renewing: Promise<void> | undefined;

  constructor(parts: InstanceParts) {
    this.#parts = parts;
    this.leaseMs = parts.leaseMs;
    this.renewMs = Math.floor(parts.leaseMs / RENEWALS);
  }

  /** Have a lease that lasts for a while. Costs nothing but now and then. */
  async ensure(): Promise<void> {
    const { clock, leaseMs } = this.#parts;
    if (clock.monotonic() - this.#renewedAt > leaseMs - this.renewMs) await this.renew();
  }

  async renew(): Promise<void> {
    this.#renewing ??= this.#write().finally(() => {
      this.#renewing = undefined;
    });
    await this.#renewing;
  }

  /** Whether an instance, this or another, can still be at work. */
  async isAlive(id: string): Promise<boolean> {
    const row = await this.#parts.storage.get(installationTenant, 'instances', id);
    return row !== undefined && !isInstanceGone(row, this.#parts);
  }

  /** Nothing of this instance is left running. */
  async release(): Promise<void> {
    await this.#parts.storage.commit(installationTenant, [{ delete: 'instances', id: this.id }]);
  }

  async #write(): Promise<void> {
    const { storage, clock, logger, identity, leaseMs } = this.#parts;
    const at = clock.monotonic();
    const expiresAt = new Date(clock.now() + leaseMs).toISOString();
    const update = { update: 'instances', id: this.id, set: { expiresAt } } as const;
    const known = this.#renewedAt !== Number.NEGATIVE_INFINITY;
    if (!known || !(await storage.commit(installationTenant, [update])).done) {
      if (known) logger.warn('the lease of this server expired: it could not reach the storage for too long');
      const row = { id: this.id, revision: 1, process: identity.own, startedAt: timestamp(clock), expiresAt };
      await storage.commit(installationTenant, [{ insert: 'instances', row }]);
    }
    this.#renewedAt = at;
  }
}
