import { PatchbayError } from '@patchbay/core/plugin';

export interface AdmissionOptions {
  readonly maxConcurrent: number;
  /** Maximum milliseconds that a run waits for its turn. */
  readonly queueTimeoutMs: number;
  /** Runs that may wait, of all tenants together; the next one is refused at once. */
  readonly maxWaiting: number;
}

/**
 * Limits the runs at one time; the others wait in line, for a bounded time. Each tenant has a line, and the lines take
 * turns: a tenant that sends a thousand runs waits for them, and no other tenant does. While several tenants are active,
 * none of them gets the last place, which is for one that has no run.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #lines = new WaitingLines<void>();
  readonly #tenants: Tenants;
  #running = 0;
  #closed = false;

  constructor(options: AdmissionOptions, tenants = new Tenants()) {
    this.#options = options;
    this.#tenants = tenants;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#lines.length;
  }

  /**
   * Settles when it is this run's turn; `leave` must follow. An aborted signal rejects with its reason.
   *
   * @throws PatchbayError `overloaded`, `shutting_down`.
   */
  async enter(tenant: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#closed) throw shuttingDown();
    // A tenant for whom a slot was reserved may no longer be active: the slot is for runs that already wait.
    this.#admitWaiting();
    if (this.tryEnter(tenant)) return;
    const { maxWaiting, queueTimeoutMs } = this.#options;
    if (this.waiting >= maxWaiting) throw overloaded();
    await this.#lines.wait({
      tenant,
      signal,
      timeoutMs: queueTimeoutMs,
      onTimeout: (late) => late.refuse(overloaded()),
    });
  }

  /** Take a slot, if there is one for which no run waits. */
  tryEnter(tenant: string): boolean {
    if (this.#closed || !this.#hasRoomFor(tenant)) return false;
    this.#running++;
    this.#tenants.enter(tenant);
    return true;
  }

  /** Hand the place of a tenant's run to the one that waits longest in the line whose turn it is. */
  leave(tenant: string): void {
    this.#running--;
    this.#tenants.leave(tenant);
    this.#admitWaiting();
  }

  /** Refuse all that wait and that come. */
  close(): void {
    this.#closed = true;
    for (const waiting of this.#lines.all) waiting.refuse(shuttingDown());
  }

  /** Sometimes more than one: a reserved slot may be free for all now, together with the released one. */
  #admitWaiting(): void {
    const next = (): Waiting<void> | undefined => this.#lines.firsts.find(({ tenant }) => this.#hasRoomFor(tenant));
    for (let waiting = next(); waiting !== undefined; waiting = next()) {
      this.tryEnter(waiting.tenant);
      this.#lines.goToEnd(waiting.tenant);
      waiting.serve();
    }
  }

  #hasRoomFor(tenant: string): boolean {
    const left = this.#options.maxConcurrent - this.#running;
    const isLast = left === 1 && this.#options.maxConcurrent > 1;
    return left > 0 && (!isLast || this.#tenants.runsOf(tenant) === 0 || this.#tenants.isAlone(tenant));
  }
}

const overloaded = (): PatchbayError =>
  new PatchbayError('overloaded', 'Too many functions are running', { retryAfter: 1 });

const shuttingDown = (): PatchbayError =>
  new PatchbayError('shutting_down', 'The executor is shutting down', { retryAfter: 1 });

/** A caller that waits for a value. */
export interface Waiting<T> {
  readonly tenant: string;
  /** It was served before, but not completed. */
  readonly isAgain: boolean;
  serve(value: T): void;
  refuse(reason: unknown): void;
}

export interface WaitOptions<T> {
  readonly tenant: string;
  /** Its abort ends the wait with its reason. */
  readonly signal: AbortSignal;
  /** Wait before the others of the tenant. */
  readonly isAgain?: boolean;
  readonly timeoutMs?: number;
  readonly onTimeout?: (waiting: Waiting<T>) => void;
}

/** Callers that wait, in a line for each tenant. The lines take turns. */
export class WaitingLines<T> {
  /** The line whose turn is next is first; no line is empty. */
  readonly #lines = new Map<string, readonly Waiting<T>[]>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  lengthOf(tenant: string): number {
    return this.#lines.get(tenant)?.length ?? 0;
  }

  /** The first of each line, in the order of their turns. */
  get firsts(): readonly Waiting<T>[] {
    return [...this.#lines.values()].flatMap((line) => line.slice(0, 1));
  }

  get all(): readonly Waiting<T>[] {
    return [...this.#lines.values()].flat();
  }

  /** Settles with what the caller is served, or rejects with the reason for which it is refused. */
  wait({ tenant, signal, isAgain = false, timeoutMs, onTimeout }: WaitOptions<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.#change(tenant, (line) => line.filter((each) => each !== waiting));
      };
      const waiting: Waiting<T> = {
        tenant,
        isAgain,
        serve(value) {
          leave();
          resolve(value);
        },
        refuse(reason) {
          leave();
          reject(reason);
        },
      };
      const onAbort = (): void => waiting.refuse(signal.reason);
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => onTimeout?.(waiting), timeoutMs);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#change(tenant, (line) => (isAgain ? [waiting, ...line] : [...line, waiting]));
    });
  }

  /** All others come first. */
  goToEnd(tenant: string): void {
    const line = this.#lines.get(tenant);
    if (line === undefined) return;
    this.#lines.delete(tenant);
    this.#lines.set(tenant, line);
  }

  #change(tenant: string, change: (line: readonly Waiting<T>[]) => readonly Waiting<T>[]): void {
    const before = this.#lines.get(tenant) ?? [];
    const line = change(before);
    this.#length += line.length - before.length;
    if (line.length === 0) this.#lines.delete(tenant);
    else this.#lines.set(tenant, line);
  }
}

/** A tenant without a run for so long is not active. */
const ACTIVE_MS = 60_000;

interface Presence {
  runs: number;
  seenAt: number;
}

/** Counts the runs of each tenant, and remembers which tenants were active recently. */
export class Tenants {
  /** The last in the map is the one that came last. */
  readonly #present = new Map<string, Presence>();

  runsOf(tenant: string): number {
    return this.#present.get(tenant)?.runs ?? 0;
  }

  /** Whether a tenant is the only one that has run something recently. */
  isAlone(tenant: string, now = performance.now()): boolean {
    for (const [other, { runs, seenAt }] of this.#present) {
      if (other !== tenant && (runs > 0 || now - seenAt < ACTIVE_MS)) return false;
    }
    return true;
  }

  enter(tenant: string, now = performance.now()): void {
    const runs = this.runsOf(tenant) + 1;
    this.#present.delete(tenant);
    this.#present.set(tenant, { runs, seenAt: now });
    for (const [other, presence] of this.#present) {
      if (now - presence.seenAt < ACTIVE_MS) return;
      if (presence.runs === 0) this.#present.delete(other);
    }
  }

  leave(tenant: string, now = performance.now()): void {
    const presence = this.#present.get(tenant);
    if (presence === undefined) return;
    presence.runs--;
    presence.seenAt = now;
  }
}

/**
 * The slot of a run that waits for runs which it has called. While it waits they may use its slot, one at a time: if
 * they waited for other slots, a server full of runs that call functions would deadlock.
 */
export class ParentPlace {
  readonly #line = new WaitingLines<void>();
  #taken = false;

  /** Settles when the place is free for this run; `giveBack` must follow. An aborted signal rejects with its reason. */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#taken) await this.#line.wait({ tenant: '', signal });
    this.#taken = true;
  }

  giveBack(): void {
    const [next] = this.#line.firsts;
    if (next === undefined) this.#taken = false;
    else next.serve();
  }
}
