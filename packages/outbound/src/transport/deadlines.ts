import { longestTimer } from '@patchbay/contracts/base/clock';

/** Timeouts of the phases of a call, in milliseconds. */
export interface DeadlineLimits {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
}

interface Deadline {
  readonly name: keyof DeadlineLimits;
  readonly at: number;
}

const sentences: Readonly<Record<keyof DeadlineLimits, string>> = {
  connectMs: 'did not accept a connection',
  firstByteMs: 'did not begin to answer',
  idleMs: 'sent nothing more',
  totalMs: 'did not finish',
};

/**
 * The clocks of one call, on a single timer: it is set to the earliest deadline, and checks, when it fires, which
 * one is due by then. A call that completes in time has set and cleared one timer, however many pieces it took.
 */
export class Deadlines {
  readonly #limits: DeadlineLimits;
  readonly #expire: (message: string, unsent: boolean) => void;
  readonly #startedAt = performance.now();
  #state: 'connecting' | 'waiting' | 'reading' | 'paused' | 'over' = 'connecting';
  #connectingSince = this.#startedAt;
  #progressAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #ringsAt = 0;

  /** @param expire Called at most once, with a sentence that says which deadline has passed. `unsent`: before there was a connection. */
  constructor(limits: DeadlineLimits, expire: (message: string, unsent: boolean) => void) {
    this.#limits = limits;
    this.#expire = expire;
    this.#set();
  }

  connected(): void {
    if (this.#state === 'connecting') this.#state = 'waiting';
  }

  /** The connection that was chosen could not be used. */
  reconnecting(): void {
    if (this.#state === 'over') return;
    this.#state = 'connecting';
    this.#connectingSince = performance.now();
    this.#set();
  }

  /** Since the call began. */
  elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** The upstream sent something, or may send again after `pause`. */
  progress(): void {
    if (this.#state === 'over') return;
    this.#state = 'reading';
    this.#progressAt = performance.now();
    if (this.#progressAt + this.#limits.idleMs < this.#ringsAt) this.#set();
  }

  /** While we do not read, the upstream cannot be blamed for its silence. */
  pause(): void {
    if (this.#state !== 'over') this.#state = 'paused';
  }

  clear(): void {
    this.#state = 'over';
    clearTimeout(this.#timer);
  }

  #set(): void {
    clearTimeout(this.#timer);
    this.#ringsAt = this.#next().at;
    const ms = Math.ceil(this.#ringsAt - performance.now());
    // After a pause of this process, timers run before sockets are read: the upstream may have answered in time.
    this.#timer = setTimeout(() => setImmediate(() => this.#ring()), Math.min(ms, longestTimer));
  }

  #ring(): void {
    if (this.#state === 'over') return;
    const { name, at } = this.#next();
    // Timers may fire a fraction of a millisecond early, and delays beyond the longest timer need several.
    if (at - performance.now() >= 1) {
      this.#set();
      return;
    }
    const unsent = this.#state === 'connecting';
    this.clear();
    // "timed out" is avoided: SDKs look for the words, and then replace the error by one without a cause.
    this.#expire(`the model provider ${sentences[name]} within ${this.#limits[name]} ms`, unsent);
  }

  /** The deadline that comes first, as things stand now. */
  #next(): Deadline {
    const { connectMs, firstByteMs, idleMs, totalMs } = this.#limits;
    const total: Deadline = { name: 'totalMs', at: this.#startedAt + totalMs };
    switch (this.#state) {
      case 'connecting':
        return first(
          { name: 'connectMs', at: this.#connectingSince + connectMs },
          first(this.#firstByte(firstByteMs), total),
        );
      case 'waiting':
        return first(this.#firstByte(firstByteMs), total);
      case 'reading':
        return first({ name: 'idleMs', at: this.#progressAt + idleMs }, total);
      default:
        return total;
    }
  }

  #firstByte(milliseconds: number): Deadline {
    return { name: 'firstByteMs', at: this.#startedAt + milliseconds };
  }
}

const first = (one: Deadline, other: Deadline): Deadline => (one.at <= other.at ? one : other);
