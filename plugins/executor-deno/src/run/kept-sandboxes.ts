import { canReturn, type ProcessUsage } from '../system-process.ts';
import { type FunctionCode, isSameCode } from './protocol.ts';
import { processIdsOf, type Sandbox } from './sandbox.ts';

export interface KeptOptions {
  /** Runs after which a process is replaced. */
  readonly maxRuns: number;
  /** Milliseconds without a run after which a process is ended. */
  readonly idleMs: number;
  /** Maximum number of waiting processes; the one that has waited longest makes room. */
  readonly maxProcesses: number;
  /** Seconds of CPU, all runs together, after which a process is replaced. */
  readonly cpuSeconds: number;
  readonly discard: (sandbox: Sandbox) => void;
}

/** Resident memory that a process may gain over its first run. */
const MAX_GROWTH_BYTES = 64 * 1024 * 1024;
/** Reading the usage of a process costs as much as a short run. */
const LOOK_EVERY_MS = 250;
/**
 * For how long a process waits before it is suspended. Suspending and resuming it costs a twentieth of a short run, and
 * busy code gets its next run sooner. What it computes meanwhile is charged to that run.
 */
const SUSPEND_AFTER_MS = 5;

interface History {
  runs: number;
  lookedAt: number;
  readonly first: ProcessUsage | undefined;
}

interface Waiting {
  readonly sandbox: Sandbox;
  readonly code: FunctionCode;
  readonly stopWatching: () => void;
  isSuspended: boolean;
  /** Suspends the process, and later ends it. */
  timer: NodeJS.Timeout;
}

/** Processes that have run code and wait for the next run of it. */
export class KeptSandboxes {
  readonly #options: KeptOptions;
  readonly #histories = new WeakMap<Sandbox, History>();
  /** The one that has waited longest is first. */
  #waiting: readonly Waiting[] = [];

  constructor(options: KeptOptions) {
    this.#options = options;
  }

  get processIds(): readonly number[] {
    return processIdsOf(this.#waiting.map(({ sandbox }) => sandbox));
  }

  /** The process that has run this code last, if one waits. */
  take(code: FunctionCode): Sandbox | undefined {
    const found = this.#waiting.findLast((each) => isSameCode(each.code, code) && each.sandbox.conversation.isReady);
    if (found === undefined) return undefined;
    this.#remove(found);
    if (found.isSuspended) found.sandbox.resume();
    return found.sandbox;
  }

  /** Keep a process whose run is over for the next one, unless it has served long enough. Without one it is suspended soon. */
  put(code: FunctionCode, sandbox: Sandbox): void {
    const { discard, maxProcesses } = this.#options;
    if (this.#isWorn(sandbox) || (sandbox.priority === 'long' && !canReturn)) {
      discard(sandbox);
      return;
    }
    const waiting: Waiting = {
      sandbox,
      code,
      // For one that is already gone, this calls back at once.
      stopWatching: sandbox.whenGone(() => queueMicrotask(() => this.#remove(waiting))),
      isSuspended: false,
      timer: setTimeout(() => this.#suspend(waiting), SUSPEND_AFTER_MS).unref(),
    };
    this.#waiting = [...this.#waiting, waiting];
    const [oldest] = this.#waiting;
    if (this.#waiting.length > maxProcesses && oldest !== undefined) this.#discard(oldest);
  }

  /** End all that wait. */
  clear(): void {
    for (const waiting of this.#waiting) this.#discard(waiting);
  }

  #isWorn(sandbox: Sandbox): boolean {
    const { cpuSeconds, maxRuns } = this.#options;
    const now = performance.now();
    const history = this.#histories.get(sandbox) ?? { runs: 0, lookedAt: now, first: sandbox.usage() };
    this.#histories.set(sandbox, history);
    history.runs++;
    if (history.runs >= maxRuns) return true;
    if (now - history.lookedAt < LOOK_EVERY_MS) return false;
    history.lookedAt = now;
    const usage = sandbox.usage();
    if (usage === undefined || history.first === undefined) return false;
    return usage.cpuSeconds >= cpuSeconds || usage.residentBytes > history.first.residentBytes + MAX_GROWTH_BYTES;
  }

  #suspend(waiting: Waiting): void {
    waiting.isSuspended = waiting.sandbox.suspend();
    if (waiting.isSuspended) waiting.timer = setTimeout(() => this.#discard(waiting), this.#options.idleMs).unref();
    else this.#discard(waiting);
  }

  #remove(waiting: Waiting): void {
    clearTimeout(waiting.timer);
    waiting.stopWatching();
    this.#waiting = this.#waiting.filter((each) => each !== waiting);
  }

  #discard(waiting: Waiting): void {
    this.#remove(waiting);
    this.#options.discard(waiting.sandbox);
  }
}
