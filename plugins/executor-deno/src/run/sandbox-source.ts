import type { Logger } from '@patchbay/core/plugin';
import { LRUCache } from 'lru-cache';
import type { ExecutorConfig, Isolation } from '../config.ts';
import type { FunctionCode } from '../function-code.ts';
import type { Launcher } from '../launch/launch-helper.ts';
import type { Priority } from '../system-process.ts';
import type { Tenants } from './admission.ts';
import { KeptSandboxes } from './kept-sandboxes.ts';
import { PrimedSandboxes } from './primed-sandboxes.ts';
import type { RunOutcome } from './protocol.ts';
import type { Sandbox } from './sandbox.ts';
import { SparePool } from './spare-pool.ts';

export interface SandboxSourceOptions {
  readonly launcher: Launcher;
  readonly logger: Logger;
  /** Running executions of each tenant, including this one. */
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

/** Ids of processes that wait for a run. */
export interface WaitingProcesses {
  readonly all: readonly number[];
  /** Those that have served a run, and wait for the next one of the same code. */
  readonly kept: readonly number[];
  /** Those that have loaded code ahead. */
  readonly primed: readonly number[];
}

const SPARE_MAX_AGE_MS = 3_600_000;
const MAX_LONG = 1024;
const HEAVY = new Set(['memory_limit', 'output_too_large', 'cpu_limit', 'call_limit']);

/** Gives each run its process, as the isolation of its function demands. */
export class SandboxSource {
  readonly #pool: SparePool;
  readonly #primed: PrimedSandboxes | undefined;
  readonly #kept: KeptSandboxes;
  /** Keys of code that computed for long the last time: it is likely to do so again, and then does not go first. */
  readonly #long = new LRUCache<string, true>({ max: MAX_LONG });
  readonly #tenants: Tenants;
  readonly #leaving = new Set<Promise<unknown>>();
  #isStopped = false;

  constructor({ launcher, logger, tenants, spares, primed, reuse }: SandboxSourceOptions) {
    this.#tenants = tenants;
    const discard = (sandbox: Sandbox): void => this.#discard(sandbox);
    const onReady = (): void => this.#primed?.fill();
    this.#pool = new SparePool({ launcher, logger, spares, maxAgeMs: SPARE_MAX_AGE_MS, onReady });
    const spare = (): Sandbox | undefined => this.#pool.spareReady();
    if (primed > 0) this.#primed = new PrimedSandboxes({ max: primed, spare, discard, logger });
    this.#kept = new KeptSandboxes({ ...reuse, discard });
  }

  /** How many processes can take any code at once. */
  get ready(): number {
    return this.#pool.ready;
  }

  get processes(): WaitingProcesses {
    const [kept, primed] = [this.#kept.processIds, this.#primed?.processIds ?? []];
    return { all: [...this.#pool.processIds, ...primed, ...kept], kept, primed };
  }

  /** Runs are expected. */
  fill(): void {
    this.#pool.fill();
  }

  /** @throws The reason of the signal. */
  async take(code: FunctionCode, isolation: Isolation, signal: AbortSignal): Promise<Sandbox> {
    const { tenant } = code;
    const isLong = this.#long.has(code.key);
    const isModest = this.#tenants.isAlone(tenant) || (this.#tenants.runsOf(tenant) <= 1 && !isLong);
    const sandbox = this.#waiting(code, isolation) ?? (await this.#start(isolation, isModest, signal));
    sandbox.prioritise(isLong ? this.priorityOfLong(tenant) : 'short');
    return sandbox;
  }

  /** Priority of a run that computes for long. */
  priorityOfLong(tenant: string): Priority {
    return this.#tenants.isAlone(tenant) ? 'long' : 'last';
  }

  /** The outcome of a run is known. */
  answered(code: FunctionCode, isolation: Isolation, outcome: RunOutcome, wasLong: boolean): void {
    this.#pool.answered();
    if (wasLong || tookMuch(outcome)) this.#long.set(code.key, true);
    else this.#long.delete(code.key);
    const isRepeated = isolation === 'fresh' && !code.artifact.isProgram;
    if (isRepeated && outcome.kind === 'output') this.#primed?.completed(code);
  }

  /** A run has ended completely. Its process is gone, or ready for the next run. */
  over(code: FunctionCode, sandbox: Sandbox): void {
    if (!sandbox.conversation.isReady) return;
    if (this.#isStopped) this.#discard(sandbox);
    else this.#kept.put(code, sandbox);
  }

  /** End all warm processes. Settles when they are gone. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#primed?.clear();
    this.#kept.clear();
    await Promise.all([this.#pool.stop(), ...this.#leaving]);
  }

  #waiting(code: FunctionCode, isolation: Isolation): Sandbox | undefined {
    if (isolation === 'reuse') return this.#kept.take(code);
    return isolation === 'fresh' ? this.#primed?.take(code) : undefined;
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

/** Whether a run was ended for taking too much of something other than time. */
export function tookMuch(outcome: RunOutcome): boolean {
  return outcome.kind === 'failure' && HEAVY.has(outcome.reason);
}

/** The isolation of a function: that of the first rule that names it, or else the default. */
export class IsolationRules {
  readonly #fallback: Isolation;
  readonly #rules: readonly { readonly patterns: readonly RegExp[]; readonly isolation: Isolation }[];

  constructor(fallback: Isolation, rules: NonNullable<ExecutorConfig['functions']> = []) {
    this.#fallback = fallback;
    this.#rules = rules.map(({ match, isolation }) => ({ patterns: match.map(toPattern), isolation }));
  }

  /** Whether any function can have one of these. */
  uses(...wanted: readonly Isolation[]): boolean {
    return [this.#fallback, ...this.#rules.map(({ isolation }) => isolation)].some((each) => wanted.includes(each));
  }

  of({ functionId, functionName = '' }: FunctionIdentity): Isolation {
    const fits = (pattern: RegExp): boolean => pattern.test(functionId) || pattern.test(functionName);
    return this.#rules.find(({ patterns }) => patterns.some(fits))?.isolation ?? this.#fallback;
  }
}

interface FunctionIdentity {
  readonly functionId: string;
  readonly functionName?: string;
}

function toPattern(glob: string): RegExp {
  // Runs of stars are one: several in a row would try all ways to share the characters among them.
  const parts = glob.split(/\*+/u).map((part) => part.replace(/[$()*+./?[\\\]^{|}-]/gu, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`, 'su');
}
