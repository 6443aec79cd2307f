import type { Logger } from '@patchbay/core/plugin';
import type { Isolation } from '../isolation.ts';
import type { Launcher } from '../launch/launcher.ts';
import type { Code } from './code.ts';
import { KeptSandboxes } from './kept-sandboxes.ts';
import { KnownLong } from './known-long.ts';
import { PrimedSandboxes } from './primed-sandboxes.ts';
import type { Priority } from './priority.ts';
import type { Ending } from './run-outcome.ts';
import type { Sandbox } from './sandbox.ts';
import { SparePool } from './spare-pool.ts';
import type { Tenants } from './tenants.ts';

export interface SandboxSourceOptions {
  readonly launcher: Launcher;
  readonly logger: Logger;
  /** Who has runs under way, this one included. */
  readonly tenants: Tenants;
  /** Processes that wait for a run of any code. */
  readonly spares: number;
  /** Processes that wait with code loaded ahead. */
  readonly primed: number;
  readonly reuse: {
    readonly maxRuns: number;
    readonly idleMs: number;
    readonly maxProcesses: number;
    readonly cpuSeconds: number;
  };
}

const SPARE_MAX_AGE_MS = 3_600_000;

/** Gives each run its process, as the isolation of its function demands. */
export class SandboxSource {
  readonly #pool: SparePool;
  readonly #primed: PrimedSandboxes;
  readonly #kept: KeptSandboxes;
  readonly #long = new KnownLong();
  readonly #tenants: Tenants;
  readonly #leaving = new Set<Promise<unknown>>();
  #isStopped = false;

  constructor({ launcher, logger, tenants, spares, primed, reuse }: SandboxSourceOptions) {
    this.#tenants = tenants;
    const discard = (sandbox: Sandbox): void => this.#discard(sandbox);
    const onReady = (): void => this.#primed.fill();
    this.#pool = new SparePool({ launcher, logger, spares, maxAgeMs: SPARE_MAX_AGE_MS, onReady });
    this.#primed = new PrimedSandboxes({ max: primed, spare: () => this.#pool.spareReady(), discard, logger });
    this.#kept = new KeptSandboxes({ ...reuse, discard });
  }

  /** How many processes can take any code at once. */
  get ready(): number {
    return this.#pool.ready;
  }

  /** Ids of the processes that wait for a run. */
  get processIds(): readonly number[] {
    return [...this.#pool.processIds, ...this.#primed.processIds, ...this.#kept.processIds];
  }

  /** Ids of those among them that have served a run. */
  get keptProcessIds(): readonly number[] {
    return this.#kept.processIds;
  }

  /** Ids of those among them that have loaded code ahead. */
  get primedProcessIds(): readonly number[] {
    return this.#primed.processIds;
  }

  /** Runs are to be expected. */
  fill(): void {
    this.#pool.fill();
  }

  /** @throws The reason of the signal. */
  async take(code: Code, isolation: Isolation, signal: AbortSignal): Promise<Sandbox> {
    const { tenant } = code;
    const isLong = this.#long.has(code);
    const isModest = this.#tenants.isAlone(tenant) || (this.#tenants.runsOf(tenant) <= 1 && !isLong);
    const sandbox = this.#waiting(code, isolation) ?? (await this.#start(isolation, isModest, signal));
    sandbox.prioritise(isLong ? this.priorityOfLong(tenant) : 'short');
    return sandbox;
  }

  /** How a run goes on that computes for long. */
  priorityOfLong(tenant: string): Priority {
    return this.#tenants.isAlone(tenant) ? 'long' : 'last';
  }

  /** The outcome of a run is known. */
  answered(code: Code, isolation: Isolation, ending: Ending, wasLong: boolean): void {
    this.#pool.answered();
    this.#long.ended(code, ending, wasLong);
    if (isolation === 'fresh' && ending.kind === 'output') this.#primed.completed(code);
  }

  /** Nothing of a run is left. Its process is gone, or ready for the next run. */
  over(code: Code, sandbox: Sandbox): void {
    if (!sandbox.conversation.isReady) return;
    if (this.#isStopped) this.#discard(sandbox);
    else this.#kept.put(code, sandbox);
  }

  /** End whoever waits. Settles when nothing of them is left. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#primed.clear();
    this.#kept.clear();
    await Promise.all([this.#pool.stop(), ...this.#leaving]);
  }

  #waiting(code: Code, isolation: Isolation): Sandbox | undefined {
    if (isolation === 'reuse') return this.#kept.take(code);
    return isolation === 'fresh' ? this.#primed.take(code) : undefined;
  }

  #start(isolation: Isolation, isModest: boolean, signal: AbortSignal): Promise<Sandbox> {
    return isolation === 'cold' ? this.#pool.open(signal) : this.#pool.take(isModest, signal);
  }

  #discard(sandbox: Sandbox): void {
    sandbox.kill();
    const leaving = sandbox.gone.finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
  }
}
