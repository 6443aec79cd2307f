import type { Logger } from '@patchbay/core/plugin';
import { LRUCache } from 'lru-cache';
import { type FunctionCode, isSameCode } from './protocol.ts';
import { processIdsOf, type Sandbox } from './sandbox.ts';

export interface PrimedOptions {
  /** Processes that may have code loaded ahead. */
  readonly max: number;
  /** A process that is ready and has no code yet, if there is one to spare. */
  readonly spare: () => Sandbox | undefined;
  readonly discard: (sandbox: Sandbox) => void;
  readonly logger: Logger;
}

/** With more recent completed runs than this, it pays to load code ahead. */
const HOT = 2;
/** Every run counts half as much after this time. */
const HALF_LIFE_MS = 30_000;
const MAX_AGE_MS = 60_000;
const LOAD_MS = 2000;
const MAX_KNOWN = 256;

interface Heat {
  readonly code: FunctionCode;
  readonly score: number;
  readonly at: number;
}

interface Primed {
  readonly sandbox: Sandbox;
  readonly code: FunctionCode;
  timer: NodeJS.Timeout;
  isLoaded: boolean;
}

/**
 * Processes that have loaded the code of functions that run often, each for one run. Loading runs the top level of a
 * module, so only code that has completed before is loaded ahead.
 */
export class PrimedSandboxes {
  readonly #options: PrimedOptions;
  readonly #heat = new LRUCache<string, Heat>({ max: MAX_KNOWN });
  /** Loading it ahead did not work. */
  readonly #refused = new LRUCache<string, true>({ max: MAX_KNOWN });
  readonly #primed = new Set<Primed>();

  constructor(options: PrimedOptions) {
    this.#options = options;
  }

  /** Ids of the processes that have loaded their code. */
  get processIds(): readonly number[] {
    const loaded = [...this.#primed].filter(({ isLoaded }) => isLoaded);
    return processIdsOf(loaded.map(({ sandbox }) => sandbox));
  }

  take(code: FunctionCode): Sandbox | undefined {
    for (const primed of this.#primed) {
      if (!primed.isLoaded || !isSameCode(primed.code, code) || !primed.sandbox.conversation.isReady) continue;
      this.#remove(primed);
      primed.sandbox.resume();
      return primed.sandbox;
    }
    return undefined;
  }

  /** A run has completed. */
  completed(code: FunctionCode): void {
    const now = performance.now();
    const score = this.#score(this.#heat.get(code.key), now) + 1;
    this.#heat.set(code.key, { code, score, at: now });
    this.fill();
  }

  /** Load code ahead, as long as there is hot code, room for it, and a spare process. */
  fill(): void {
    for (let hottest = this.#hottest(); hottest !== undefined; hottest = this.#hottest()) {
      if (this.#primed.size >= this.#options.max && !this.#makeRoom(hottest.worth)) return;
      const sandbox = this.#options.spare();
      if (sandbox === undefined) return;
      this.#prime(hottest.code, sandbox);
    }
  }

  /** End all that wait. */
  clear(): void {
    for (const primed of this.#primed) this.#discard(primed);
  }

  /** The code that one more process would be worth most for. */
  #hottest(): { readonly code: FunctionCode; readonly worth: number } | undefined {
    const now = performance.now();
    const hot = [...this.#heat.values()]
      .map((heat) => ({ code: heat.code, score: this.#score(heat, now) }))
      .filter(({ code, score }) => score >= HOT && !this.#refused.has(code.key))
      .map(({ code, score }) => ({ code, worth: score / (this.#countOf(code.key) + 1) }));
    return hot.toSorted((a, b) => b.worth - a.worth)[0];
  }

  #prime(code: FunctionCode, sandbox: Sandbox): void {
    const primed: Primed = {
      sandbox,
      code,
      isLoaded: false,
      timer: setTimeout(() => this.#refuse(primed), LOAD_MS).unref(),
    };
    this.#primed.add(primed);
    void sandbox.gone.then(() => this.#refuse(primed));
    void sandbox.conversation.prime(code.artifact).then(() => {
      if (!this.#primed.has(primed)) return;
      if (!primed.sandbox.suspend()) {
        this.#refuse(primed);
        return;
      }
      clearTimeout(primed.timer);
      primed.timer = setTimeout(() => this.#discard(primed), MAX_AGE_MS).unref();
      primed.isLoaded = true;
    });
  }

  /** End the process that is worth least, if that is much less. */
  #makeRoom(worth: number): boolean {
    const now = performance.now();
    const worths = [...this.#primed].map((primed) => ({
      primed,
      worth: this.#score(this.#heat.peek(primed.code.key), now) / this.#countOf(primed.code.key),
    }));
    const [least] = worths.toSorted((a, b) => a.worth - b.worth);
    if (least === undefined || least.worth * 2 > worth) return false;
    this.#discard(least.primed);
    return true;
  }

  #score(heat: Heat | undefined, now: number): number {
    return heat === undefined ? 0 : heat.score * 0.5 ** ((now - heat.at) / HALF_LIFE_MS);
  }

  #countOf(key: string): number {
    return [...this.#primed].filter(({ code }) => code.key === key).length;
  }

  /** It did not load, or ended on its own afterwards. */
  #refuse(primed: Primed): void {
    if (!this.#primed.has(primed)) return;
    this.#refused.set(primed.code.key, true);
    this.#options.logger.warn('the code of a function could not be preloaded');
    this.#discard(primed);
  }

  #remove(primed: Primed): void {
    clearTimeout(primed.timer);
    this.#primed.delete(primed);
  }

  #discard(primed: Primed): void {
    if (!this.#primed.has(primed)) return;
    this.#remove(primed);
    this.#options.discard(primed.sandbox);
  }
}
