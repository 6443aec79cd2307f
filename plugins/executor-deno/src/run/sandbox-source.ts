import { availableParallelism } from 'node:os';
import type { Logger } from '@patchbay/core/plugin';
import { LRUCache } from 'lru-cache';
import type { Isolation } from '../config.ts';
import type { Launcher } from '../launch/launch-helper.ts';
import type { Priority } from '../system-process.ts';
import { type Tenants, type Waiting, WaitingLines } from './admission.ts';
import { KeptSandboxes } from './kept-sandboxes.ts';
import { PrimedSandboxes } from './primed-sandboxes.ts';
import type { FunctionCode, RunOutcome } from './protocol.ts';
import { openSandbox, processIdsOf, type Sandbox } from './sandbox.ts';

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

export interface SparePoolOptions {
  readonly launcher: Launcher;
  readonly logger: Logger;
  /** How many processes wait for a run; 0 starts one for each run when it comes. */
  readonly spares: number;
  /** Milliseconds after which an unused spare is ended. */
  readonly maxAgeMs: number;
  /** Maximum milliseconds that a run waits for a spare that is left over. Default: 2000. */
  readonly patienceMs?: number;
  /** A spare is ready. */
  readonly onReady?: () => void;
}

const LONGEST_PAUSE_MS = 30_000;
const LONGEST_START_MS = 60_000;
/** Delay before the process of a finished run is replaced: sending the response takes precedence. */
const AFTER_ANSWER_MS = 5;
/** How long a run may take before its process is replaced while it lasts. */
const WHILE_RUNNING_MS = 25;
const PATIENCE_MS = 2000;

/**
 * Keeps processes that have started and wait for the one run each of them is for. It is empty until the first `fill`
 * or `take`, and again after a spare expired unused: an idle server keeps no processes.
 */
export class SparePool {
  readonly #options: SparePoolOptions;
  readonly #spares = new Set<Sandbox>();
  readonly #opening = new Set<Promise<void>>();
  readonly #leaving = new Set<Promise<unknown>>();
  readonly #stopped = new AbortController();
  /** Runs that wait for a spare to be left over, in the order in which they came. */
  readonly #line = new WaitingLines<Sandbox | undefined>();
  readonly #reserve: number;
  // A start uses a core for 20 ms: more at once would slow down running functions.
  readonly #maxStarting = Math.max(1, Math.floor(availableParallelism() / 2));
  #starting = 0;
  #failures = 0;
  #takes = 0;
  #isWanted = false;
  #refill: NodeJS.Timeout | undefined;
  #refillAt = Infinity;
  #pause: NodeJS.Timeout | undefined;

  constructor(options: SparePoolOptions) {
    this.#options = options;
    this.#reserve = Math.floor(options.spares / 2);
  }

  /** How many spares can take code. */
  get ready(): number {
    return this.#readySpares().length;
  }

  /** Ids of the processes that wait for a run, ready or starting. */
  get processIds(): readonly number[] {
    return processIdsOf(this.#spares);
  }

  /** Runs are expected. */
  fill(): void {
    this.#isWanted = true;
    this.#schedule(0);
  }

  /** A run for which a process was taken has its result: the machine is free to start the next one. */
  answered(): void {
    if (this.#isWanted) this.#schedule(AFTER_ANSWER_MS);
  }

  /** A spare that is ready, for something that can wait for the next one as well. */
  spareReady(): Sandbox | undefined {
    const [spare, ...others] = this.#readySpares();
    if (spare === undefined || others.length < this.#line.length) return undefined;
    this.#spares.delete(spare);
    this.#schedule(AFTER_ANSWER_MS);
    return spare;
  }

  /**
   * A process for one run: a spare that is ready, one that is about to be, or a new one. The caller must end it.
   *
   * @param isModest May take any. Others do not touch half of the spares, and wait a while for more.
   * @throws The reason of the signal.
   */
  async take(isModest: boolean, signal: AbortSignal): Promise<Sandbox> {
    signal.throwIfAborted();
    this.#takes++;
    this.#isWanted = true;
    if (!isModest && this.#pause === undefined && this.ready <= this.#reserve && this.#reserve > 0) {
      this.#schedule(0);
      const timeoutMs = this.#options.patienceMs ?? PATIENCE_MS;
      const onTimeout = (waiting: Waiting<Sandbox | undefined>): void => waiting.serve(undefined);
      const left = await this.#line.wait({ tenant: '', signal, timeoutMs, onTimeout });
      if (left !== undefined) return left;
    }
    this.#schedule(WHILE_RUNNING_MS);
    const [spare] = [...this.#readySpares(), ...this.#spares];
    if (spare === undefined) return await this.open(signal);
    if (spare.conversation.isReady) this.#failures = 0;
    this.#spares.delete(spare);
    return spare;
  }

  /**
   * A new process, whatever waits. The caller must end it.
   *
   * @throws The reason of the signal.
   */
  async open(signal: AbortSignal): Promise<Sandbox> {
    this.#starting++;
    const startedOne = (): void => {
      this.#starting--;
      if (!this.#stopped.signal.aborted) this.#schedule(0);
    };
    try {
      const sandbox = await openSandbox(this.#options.launcher, signal);
      void sandbox.started.then(startedOne);
      return sandbox;
    } catch (error) {
      startedOne();
      throw error;
    }
  }

  /** End all spares. Settles when they are gone. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    clearTimeout(this.#refill);
    clearTimeout(this.#pause);
    this.#dismiss();
    await Promise.all(this.#opening);
    for (const spare of this.#spares) this.#discard(spare);
    await Promise.all(this.#leaving);
  }

  #readySpares(): readonly Sandbox[] {
    return [...this.#spares].filter(({ conversation }) => conversation.isReady);
  }

  /** Give a spare that is left over to the run that waits longest. */
  #serve(): void {
    const [spare, ...others] = this.#readySpares();
    if (spare === undefined || this.#line.length === 0 || others.length < this.#reserve) return;
    this.#spares.delete(spare);
    this.#line.firsts[0]?.serve(spare);
    this.#schedule(0);
  }

  /** There is nothing to wait for. */
  #dismiss(): void {
    for (const waiting of this.#line.all) waiting.serve(undefined);
  }

  // A start takes a core for as long as twenty short runs: running executions go first, if they are short.
  #schedule(inMs: number): void {
    const at = performance.now() + inMs;
    if (at >= this.#refillAt) return;
    clearTimeout(this.#refill);
    this.#refillAt = at;
    this.#refill = setTimeout(() => {
      this.#refillAt = Infinity;
      this.#addSpares();
    }, inMs);
  }

  #addSpares(): void {
    const { spares } = this.#options;
    while (
      this.#isWanted &&
      !this.#stopped.signal.aborted &&
      this.#pause === undefined &&
      this.#spares.size + this.#opening.size < spares &&
      this.#starting < this.#maxStarting
    ) {
      const opening = this.#addSpare().finally(() => this.#opening.delete(opening));
      this.#opening.add(opening);
    }
  }

  async #addSpare(): Promise<void> {
    try {
      this.#keep(await this.open(this.#stopped.signal));
    } catch (cause) {
      if (!this.#stopped.signal.aborted) this.#backOff({ cause });
    }
  }

  #keep(spare: Sandbox): void {
    this.#spares.add(spare);
    const takes = this.#takes;
    const expire = (): void => {
      if (!this.#spares.has(spare)) return;
      this.#isWanted = takes !== this.#takes;
      this.#discard(spare);
      this.#schedule(0);
    };
    let age = setTimeout(expire, LONGEST_START_MS).unref();
    void spare.started.then(() => {
      clearTimeout(age);
      age = setTimeout(expire, this.#options.maxAgeMs).unref();
      this.#serve();
      this.#options.onReady?.();
    });
    void spare.gone.then((exit) => {
      clearTimeout(age);
      if (this.#spares.delete(spare)) this.#backOff({ ...exit, stderr: spare.streams.errorTail() });
    });
  }

  /** The first spare that fails is replaced at once, the next ones after growing pauses. */
  #backOff(fields: object): void {
    const pauseMs = this.#failures === 0 ? 0 : Math.min(LONGEST_PAUSE_MS, 50 * 2 ** this.#failures);
    this.#failures++;
    this.#options.logger.warn('a warm process exited before it was used', { ...fields, pauseMs });
    this.#dismiss();
    this.#pause ??= setTimeout(() => {
      this.#pause = undefined;
      this.#addSpares();
    }, pauseMs).unref();
  }

  #discard(spare: Sandbox): void {
    this.#spares.delete(spare);
    spare.kill();
    const leaving = spare.gone.finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
  }
}
