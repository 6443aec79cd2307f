import { hash } from 'node:crypto';
import type { Clock, Principal } from '@patchbay/core/plugin';
import { LRUCache } from 'lru-cache';

/**
 * The result of checking a token: its caller, or that it is invalid, and until when this holds (epoch milliseconds).
 */
export interface KnownToken {
  readonly principal: Principal | undefined;
  readonly until: number;
}

/**
 * Remembers tokens by the SHA-256 of the whole token, never by a part of it: tokens of one issuer share long prefixes.
 * Concurrent look-ups of one token wait for the same result.
 */
export class TokenCache {
  readonly #known: LRUCache<string, KnownToken>;
  readonly #asking = new Map<string, Promise<KnownToken>>();
  readonly #clock: Clock;

  constructor(clock: Clock, max: number) {
    this.#clock = clock;
    this.#known = new LRUCache({ max });
  }

  /** Returns the cached result, or else that of `find`. */
  get(token: string, find: () => Promise<KnownToken>): KnownToken | Promise<KnownToken> {
    const key = hash('sha256', token, 'base64');
    const known = this.#known.get(key);
    if (known && known.until > this.#clock.now()) return known;
    let asking = this.#asking.get(key);
    if (!asking) {
      asking = this.#ask(key, find);
      this.#asking.set(key, asking);
    }
    return asking;
  }

  async #ask(key: string, find: () => Promise<KnownToken>): Promise<KnownToken> {
    try {
      const found = await find();
      if (found.until > this.#clock.now()) this.#known.set(key, found);
      return found;
    } finally {
      this.#asking.delete(key);
    }
  }
}
