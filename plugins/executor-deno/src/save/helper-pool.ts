import { LRUCache } from 'lru-cache';
import { type Waiting, WaitingLines } from '../run/admission.ts';
import { type Answer, type HelperOptions, HelperProcess } from './helper-process.ts';

export interface HelperPoolOptions extends HelperOptions {
  /** Processes at the same time; one tenant has all but one of them at most. */
  readonly processes: number;
}

/** Requests that may wait. */
const MAX_WAITING = { tenant: 64, all: 1024 };
const MAX_LONG_TENANTS = 1024;

interface Running<Question, Value> {
  readonly tenant: string;
  readonly helper: HelperProcess<Question, Value>;
  tookLong: boolean;
  isInterrupted: boolean;
}

/**
 * Helper processes for the requests of all tenants. Each tenant has its own queue, served round-robin: a tenant
 * with a hundred requests waits for its own, and delays no other tenant.
 *
 * One process is for short requests. A request is long once it has used a small budget, and so is the next one of the
 * same tenant. If long ones occupy all processes and a short one waits, the last of them is interrupted; it restarts
 * when one of the others has ended, before that tenant's next.
 */
export class HelperPool<Question, Value> {
  readonly #helpers: readonly HelperProcess<Question, Value>[];
  readonly #free: Set<HelperProcess<Question, Value>>;
  readonly #lines = new WaitingLines<Running<Question, Value>>();
  readonly #running = new Set<Running<Question, Value>>();
  /** Those among them that take long, in the order in which this became known. */
  readonly #long = new Set<Running<Question, Value>>();
  /** Tenants whose last request took long. */
  readonly #longTenants = new LRUCache<string, true>({ max: MAX_LONG_TENANTS });
  /** Processes that one tenant may have, and that long requests may have. */
  readonly #share: number;

  constructor({ processes, ...options }: HelperPoolOptions) {
    this.#helpers = Array.from({ length: processes }, () => new HelperProcess<Question, Value>(options));
    this.#free = new Set(this.#helpers);
    this.#share = Math.max(1, processes - 1);
  }

  /** Whether one more request of this tenant is too many. */
  isFull(tenant: string): boolean {
    return this.#lines.length >= MAX_WAITING.all || this.#lines.lengthOf(tenant) >= MAX_WAITING.tenant;
  }

  /** Rejects with the reason of a signal that aborts before the request is sent. */
  async ask(tenant: string, question: Question, signal: AbortSignal): Promise<Answer<Value>> {
    const running = await this.#turn(tenant, signal, false);
    const answer = await this.#perform(running, question);
    if (!running.isInterrupted || answer.kind === 'answer') return answer;
    // At most once: work that is known to be slow is not interrupted.
    return await this.#perform(await this.#turn(tenant, signal, true), question);
  }

  /** Kill the helpers, and start no more. Settles when they are gone. */
  async stop(): Promise<void> {
    await Promise.all(this.#helpers.map((helper) => helper.stop()));
  }

  async #perform(running: Running<Question, Value>, question: Question): Promise<Answer<Value>> {
    const { helper, tenant } = running;
    try {
      return await helper.ask(question, () => {
        running.tookLong = true;
        this.#long.add(running);
        this.#startNext();
      });
    } finally {
      this.#running.delete(running);
      this.#long.delete(running);
      this.#free.add(helper);
      if (running.tookLong) this.#longTenants.set(tenant, true);
      else this.#longTenants.delete(tenant);
      this.#lines.goToEnd(tenant);
      this.#startNext();
    }
  }

  async #turn(tenant: string, signal: AbortSignal, isAgain: boolean): Promise<Running<Question, Value>> {
    signal.throwIfAborted();
    const turn = this.#lines.wait({ tenant, signal, isAgain });
    this.#startNext();
    return await turn;
  }

  #startNext(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      // One that runs already has its libraries loaded.
      const helper = [...this.#free].find(({ isRunning }) => isRunning) ?? [...this.#free][0];
      if (helper === undefined) {
        this.#makeRoom();
        return;
      }
      const { tenant } = next;
      const running = { tenant, helper, tookLong: false, isInterrupted: false };
      this.#free.delete(helper);
      this.#running.add(running);
      if (this.#isLong(next)) this.#long.add(running);
      this.#lines.goToEnd(tenant);
      next.serve(running);
    }
  }

  #next(): Waiting<Running<Question, Value>> | undefined {
    const mayBeLong = this.#long.size < this.#share;
    return this.#candidates().find((waiting) => mayBeLong || !this.#isLong(waiting));
  }

  /** The first of each line whose tenant may have one more process. */
  #candidates(): readonly Waiting<Running<Question, Value>>[] {
    const hasRoom = (tenant: string): boolean =>
      [...this.#running].filter((running) => running.tenant === tenant).length < this.#share;
    return this.#lines.firsts.filter(({ tenant }) => hasRoom(tenant));
  }

  #isLong({ tenant, isAgain }: Waiting<Running<Question, Value>>): boolean {
    return isAgain || this.#longTenants.has(tenant);
  }

  /** Interrupt the last of the long requests, if there are too many of them, for a short one. */
  #makeRoom(): void {
    const long = [...this.#long].filter(({ isInterrupted }) => !isInterrupted);
    const last = long.at(-1);
    if (last === undefined || long.length <= this.#share) return;
    if (!this.#candidates().some((waiting) => !this.#isLong(waiting))) return;
    last.isInterrupted = true;
    last.helper.interrupt();
  }
}
