import type { Clock, Logger } from '@patchbay/core/plugin';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { unavailable } from './ask-issuer.ts';

/** Keys older than this are read again while the old ones are still used. */
const FRESH_MS = 300_000;

/** Keys older than this are used only while the issuer cannot be reached, so a key that it removed is refused. */
const MAX_AGE_MS = 600_000;

/** And keys older than this are not used at all. */
const MAX_STALE_MS = 86_400_000;

interface Loaded {
  readonly find: JWTVerifyGetKey;
  readonly at: number;
}

export interface KeySetDependencies {
  /** Reads the keys from the issuer. */
  readonly load: () => Promise<JSONWebKeySet>;
  /** Called before keys are read because a token names an unknown one. */
  readonly mayAsk: () => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The keys of an issuer, kept up to date. A requested key that is missing is looked up at the issuer. */
export class KeySet {
  readonly #dependencies: KeySetDependencies;
  #loaded: Loaded | undefined;
  #loading: Promise<Loaded | undefined> | undefined;
  #failure: unknown;

  constructor(dependencies: KeySetDependencies) {
    this.#dependencies = dependencies;
  }

  /** Whether there are keys that can be used. */
  get isUsable(): boolean {
    return this.#age(this.#loaded) < MAX_STALE_MS;
  }

  /**
   * The key named by the header of a token. Concurrent look-ups share one request to the issuer.
   *
   * @throws JOSEError for an unknown key; PatchbayError `authentication_unavailable` if no keys could be read.
   */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const age = this.#age(this.#loaded);
    // As long as there are keys, no request waits for an issuer that did not respond the last time.
    const waits = !this.isUsable || (age > MAX_AGE_MS && this.#failure === undefined);
    const refreshed = age > FRESH_MS ? this.refresh() : undefined;
    if (waits) await refreshed;
    const loaded = this.#loaded;
    if (!loaded || !this.isUsable) throw unavailable(this.#failure);
    try {
      return await loaded.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      // Another request may have read them meanwhile; keys that are newer than the request of this token will do.
      const fresh = this.#loaded === loaded ? await this.refresh() : this.#loaded;
      if (!fresh || fresh === loaded) throw error;
      return await fresh.find(header, token);
    }
  };

  /** Read the keys, if a request to the issuer is allowed. Never rejects: existing keys stay. */
  refresh(): Promise<Loaded | undefined> {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #load(): Promise<Loaded | undefined> {
    if (!this.#dependencies.mayAsk()) return this.#loaded;
    try {
      this.#loaded = {
        find: createLocalJWKSet(await this.#dependencies.load()),
        at: this.#dependencies.clock.monotonic(),
      };
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error;
      this.#dependencies.logger.warn('the signing keys of an issuer could not be fetched', { error });
    }
    return this.#loaded;
  }

  #age(loaded: Loaded | undefined): number {
    return loaded ? this.#dependencies.clock.monotonic() - loaded.at : Number.POSITIVE_INFINITY;
  }
}
