import { type Answer, type HelperOptions, HelperProcess } from './helper-process.ts';

export interface HelperPoolOptions extends HelperOptions {
  /** Processes at the same time; one tenant has all but one of them at most. */
  readonly processes: number;
}

/** Questions that may wait. */
const MAX_WAITING = { tenant: 64, all: 1024 };

/**
 * Helper processes for the questions of all tenants. Each tenant has a line of its own, and the lines take turns: whoever
 * asks a hundred questions waits for the answers, and no other tenant does.
 */
export class HelperPool<Question, Value> {
  readonly #helpers: readonly HelperProcess<Question, Value>[];
  readonly #free: Set<HelperProcess<Question, Value>>;
  /** Whose turn is next is first; no line is empty. */
  readonly #lines = new Map<string, Set<(helper: HelperProcess<Question, Value>) => void>>();
  readonly #underWay = new Map<string, number>();
  #waiting = 0;

  constructor({ processes, ...options }: HelperPoolOptions) {
    this.#helpers = Array.from({ length: processes }, () => new HelperProcess<Question, Value>(options));
    this.#free = new Set(this.#helpers);
  }

  /** Whether one more question of this tenant is too many. */
  isFull(tenant: string): boolean {
    return this.#waiting >= MAX_WAITING.all || (this.#lines.get(tenant)?.size ?? 0) >= MAX_WAITING.tenant;
  }

  /** Rejects with the reason of a signal that aborts before the question is asked. */
  async ask(tenant: string, question: Question, signal: AbortSignal): Promise<Answer<Value>> {
    const helper = await this.#turn(tenant, signal);
    try {
      return await helper.ask(question, signal);
    } finally {
      this.#free.add(helper);
      this.#count(tenant, -1);
      this.#startNext();
    }
  }

  /** Kill the helpers, and start none any more. Settles when they are gone. */
  async stop(): Promise<void> {
    await Promise.all(this.#helpers.map((helper) => helper.stop()));
  }

  #turn(tenant: string, signal: AbortSignal): Promise<HelperProcess<Question, Value>> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const line = this.#lines.get(tenant) ?? new Set();
      const leave = (): void => {
        signal.removeEventListener('abort', onAbort);
        line.delete(start);
        this.#waiting--;
        if (line.size === 0) this.#lines.delete(tenant);
      };
      const start = (helper: HelperProcess<Question, Value>): void => {
        leave();
        this.#count(tenant, 1);
        resolve(helper);
      };
      const onAbort = (): void => {
        leave();
        reject(signal.reason);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#lines.set(tenant, line.add(start));
      this.#waiting++;
      this.#startNext();
    });
  }

  #startNext(): void {
    const most = Math.max(1, this.#helpers.length - 1);
    for (;;) {
      // One that runs already has its libraries loaded.
      const helper = [...this.#free].find(({ isRunning }) => isRunning) ?? [...this.#free][0];
      const next = [...this.#lines].find(([tenant]) => (this.#underWay.get(tenant) ?? 0) < most);
      const [start] = next?.[1] ?? [];
      if (helper === undefined || next === undefined || start === undefined) return;
      const [tenant, line] = next;
      // The line goes to the end. Its last one takes it away.
      this.#lines.delete(tenant);
      this.#lines.set(tenant, line);
      this.#free.delete(helper);
      start(helper);
    }
  }

  #count(tenant: string, by: 1 | -1): void {
    const count = (this.#underWay.get(tenant) ?? 0) + by;
    if (count === 0) this.#underWay.delete(tenant);
    else this.#underWay.set(tenant, count);
  }
}
