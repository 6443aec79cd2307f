import { readFileSync, readlinkSync } from 'node:fs';
import { timestamp } from '@patchbay/contracts/base/clock';
import { newId } from '@patchbay/contracts/base/type-id';
import type { Clock } from '@patchbay/contracts/clock';
import type { Logger } from '@patchbay/contracts/context';
import type { InstanceRow } from '@patchbay/contracts/rows';
import type { Storage } from '@patchbay/contracts/storage';
import { installationTenant } from '@patchbay/contracts/tenant';

interface InstanceDependencies {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly identity: ProcessIdentity;
  /** Milliseconds for which an instance counts as alive after a renewal. */
  readonly leaseMs: number;
}

/** How often a lease is renewed within its time. */
const RENEWALS = 3;

/**
 * Signals other processes on the same storage that this one is alive and owns its executions. If a lease could not be
 * renewed in time, others may have closed them: it is renewed before more are started.
 */
export class InstanceLease {
  readonly id = newId('instance');
  readonly leaseMs: number;
  /** Milliseconds between renewals. */
  readonly renewMs: number;
  readonly #dependencies: InstanceDependencies;
  /** By the monotonic clock: later, the lease is renewed before any new work. */
  freshUntil = Number.NEGATIVE_INFINITY;
  #renewing: Promise<void> | undefined;

  constructor(dependencies: InstanceDependencies) {
    this.#dependencies = dependencies;
    this.leaseMs = dependencies.leaseMs;
    this.renewMs = Math.floor(dependencies.leaseMs / RENEWALS);
  }

  async renew(): Promise<void> {
    this.#renewing ??= this.#write().finally(() => {
      this.#renewing = undefined;
    });
    await this.#renewing;
  }

  /** Whether an instance, this or another, may still be running. */
  async isAlive(id: string): Promise<boolean> {
    const row = await this.#dependencies.storage.get(installationTenant, 'instances', id);
    return row !== undefined && !isInstanceGone(row, this.#dependencies);
  }

  /** This instance has no running work left. */
  async release(): Promise<void> {
    await this.#dependencies.storage.commit(installationTenant, [{ delete: 'instances', id: this.id }]);
  }

  async #write(): Promise<void> {
    const { storage, clock, logger, identity, leaseMs } = this.#dependencies;
    const at = clock.monotonic();
    const expiresAt = new Date(clock.now() + leaseMs).toISOString();
    const update = { update: 'instances', id: this.id, set: { expiresAt } } as const;
    const known = this.freshUntil !== Number.NEGATIVE_INFINITY;
    if (!known || !(await storage.commit(installationTenant, [update])).done) {
      if (known) logger.warn('the lease of this server expired: it could not reach the storage for too long');
      const row = { id: this.id, revision: 1, process: identity.own, startedAt: timestamp(clock), expiresAt };
      await storage.commit(installationTenant, [{ insert: 'instances', row }]);
    }
    this.freshUntil = at + leaseMs - this.renewMs;
  }
}

/** Clocks of machines differ. */
const SKEW_MS = 2_000;

/** An instance is gone once its lease has expired, or immediately if the system shows that its process is gone. */
export function isInstanceGone(
  { process, expiresAt }: InstanceRow,
  { clock, identity }: Pick<InstanceDependencies, 'clock' | 'identity'>,
): boolean {
  return Date.parse(expiresAt) + SKEW_MS < clock.now() || (process !== '' && identity.isGone(process));
}

/** Identifies processes, across restarts of the machine and reuse of process ids. */
export interface ProcessIdentity {
  /** This process; empty on systems without support. */
  readonly own: string;
  /** Whether the process with this identity is certainly gone. False if unknown. */
  isGone(identity: string): boolean;
}

/** The proc filesystem of Linux; another folder in tests. */
export function readProcessIdentity(proc = '/proc'): ProcessIdentity {
  const machine = read(() => {
    const boot = readFileSync(`${proc}/sys/kernel/random/boot_id`, 'utf8').trim();
    // Process ids are unique only within a namespace: two containers both have a process 1.
    return `${boot} ${readlinkSync(`${proc}/self/ns/pid`)}`;
  });
  const startOf = (pid: string) => read(() => startTime(readFileSync(`${proc}/${pid}/stat`, 'latin1')));
  const pid = String(process.pid);
  const start = startOf(pid);
  const own = machine === undefined || start === undefined ? '' : `${machine} ${pid} ${start}`;
  return {
    own,
    isGone(identity) {
      if (identity === own) return false;
      const [boot, namespace, otherPid, otherStart] = identity.split(' ');
      if (machine === undefined || `${boot} ${namespace}` !== machine) return false;
      if (otherPid === undefined || otherStart === undefined || !/^\d+$/.test(otherPid)) return false;
      return startOf(otherPid) !== otherStart;
    },
  };
}

/** Field 22 of `stat`, counted after the name of the program, which may hold anything (proc_pid_stat(5)). */
function startTime(stat: string): string | undefined {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

function read(body: () => string | undefined): string | undefined {
  try {
    return body();
  } catch {
    return undefined;
  }
}
