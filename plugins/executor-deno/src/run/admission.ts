import { PatchbayError } from '@patchbay/core/plugin';

interface Waiting {
  admit(): void;
  refuse(error: PatchbayError): void;
}

export interface AdmissionOptions {
  readonly maxConcurrent: number;
  /** Milliseconds that a run waits for its turn at most. */
  readonly queueTimeoutMs: number;
  /** Runs that may wait, of all tenants together; the next one is refused at once. */
  readonly maxWaiting: number;
}

/**
 * Lets so many run at once; the others wait in line, for a bounded time. Each tenant has a line of its own, and the
 * lines take turns: whoever sends a thousand runs waits for them, and nobody else does. While other tenants are about,
 * none of them gets the last place, which is for one that has no run.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  /** Whose turn is next is first; no line is empty. */
  readonly #lines = new Map<string, Set<Waiting>>();
  readonly #tenants: Tenants;
  #running = 0;
  #waitingCount = 0;
  #closed = false;

  constructor(options: AdmissionOptions, tenants = new Tenants()) {
    this.#options = options;
    this.#tenants = tenants;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waitingCount;
  }

  /**
   * Settles when it is this run's turn; `leave` has to follow. An aborted signal rejects with its reason.
   *
   * @throws PatchbayError `overloaded`, `shutting_down`.
   */
  async enter(tenant: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#closed) throw shuttingDown();
    // By now a tenant for whom a place was kept may not be about any more: it is for those who wait already.
    this.#admitWaiting();
    if (this.tryEnter(tenant)) return;
    if (this.#waitingCount >= this.#options.maxWaiting) throw overloaded();
    await this.#waitForTurn(tenant, signal);
  }

  /** Take a place, if there is one that nobody waits for. */
  tryEnter(tenant: string): boolean {
    if (this.#closed || !this.#hasRoomFor(tenant)) return false;
    this.#enter(tenant);
    return true;
  }

  /** Hand the place of a tenant's run to the one who waits longest in the line whose turn it is. */
  leave(tenant: string): void {
    this.#running--;
    this.#tenants.leave(tenant);
    this.#admitWaiting();
  }

  /** More than one at times: a place that was kept may have become anybody's, together with the one that was left. */
  #admitWaiting(): void {
    for (let next = this.#nextLine(); next !== undefined; next = this.#nextLine()) {
      const [tenant, line] = next;
      // The line goes to the end; whoever is admitted takes himself out of it, and an empty one away.
      this.#lines.delete(tenant);
      this.#lines.set(tenant, line);
      const [first] = line;
      first?.admit();
    }
  }

  #nextLine(): readonly [string, Set<Waiting>] | undefined {
    if (this.#running >= this.#options.maxConcurrent) return undefined;
    return [...this.#lines].find(([tenant]) => this.#hasRoomFor(tenant));
  }

  #hasRoomFor(tenant: string): boolean {
    const left = this.#options.maxConcurrent - this.#running;
    const isLast = left === 1 && this.#options.maxConcurrent > 1;
    return left > 0 && (!isLast || this.#tenants.runsOf(tenant) === 0 || this.#tenants.isAlone(tenant));
  }

  #enter(tenant: string): void {
    this.#running++;
    this.#tenants.enter(tenant);
  }

  /** Refuse everybody who waits and who comes. */
  close(): void {
    this.#closed = true;
    for (const line of this.#lines.values()) for (const waiting of line) waiting.refuse(shuttingDown());
  }

  #waitForTurn(tenant: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        this.#remove(tenant, waiting);
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      };
      const waiting: Waiting = {
        admit: () => {
          settle();
          this.#enter(tenant);
          resolve();
        },
        refuse(error) {
          settle();
          reject(error);
        },
      };
      const onAbort = (): void => {
        settle();
        reject(signal.reason);
      };
      const timer = setTimeout(() => waiting.refuse(overloaded()), this.#options.queueTimeoutMs);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#add(tenant, waiting);
    });
  }

  #add(tenant: string, waiting: Waiting): void {
    const line = this.#lines.get(tenant) ?? new Set();
    this.#lines.set(tenant, line.add(waiting));
    this.#waitingCount++;
  }

  #remove(tenant: string, waiting: Waiting): void {
    const line = this.#lines.get(tenant);
    if (line?.delete(waiting) !== true) return;
    this.#waitingCount--;
    if (line.size === 0) this.#lines.delete(tenant);
  }
}

const overloaded = (): PatchbayError =>
  new PatchbayError('overloaded', 'Too many functions are running', { retryAfter: 1 });

const shuttingDown = (): PatchbayError =>
  new PatchbayError('shutting_down', 'The executor is shutting down', { retryAfter: 1 });

/** Who has run nothing for so long is not about. */
const ABOUT_MS = 60_000;

interface Presence {
  runs: number;
  seenAt: number;
}

/** Keeps account of how many runs each tenant has under way, and of who was there of late. */
export class Tenants {
  /** The last in the map is the one that came last. */
  readonly #present = new Map<string, Presence>();

  runsOf(tenant: string): number {
    return this.#present.get(tenant)?.runs ?? 0;
  }

  /** Whether a tenant is the only one that has run something of late. */
  isAlone(tenant: string, now = performance.now()): boolean {
    for (const [other, { runs, seenAt }] of this.#present) {
      if (other !== tenant && (runs > 0 || now - seenAt < ABOUT_MS)) return false;
    }
    return true;
  }

  enter(tenant: string, now = performance.now()): void {
    const runs = this.runsOf(tenant) + 1;
    this.#present.delete(tenant);
    this.#present.set(tenant, { runs, seenAt: now });
    for (const [other, presence] of this.#present) {
      if (now - presence.seenAt < ABOUT_MS) return;
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
 * The place of a run that waits for runs of its own. While it waits they may use its place, one at a time: were they to
 * wait for places of others, a server full of runs that call functions would stand still.
 */
export class ParentPlace {
  readonly #waiting = new Set<() => void>();
  #taken = false;

  /** Settles when the place is free for this run; `giveBack` has to follow. An aborted signal rejects with its reason. */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#taken) {
      this.#taken = true;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = (): void => {
      this.#waiting.delete(resolve);
      reject(signal.reason);
    };
    this.#waiting.add(resolve);
    signal.addEventListener('abort', onAbort, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  giveBack(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken = false;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
