import type { Cache } from '@patchbay/core/plugin';

/** A cache that is started and empty. */
export interface CacheUnderTest {
  readonly cache: Cache;
  /** Let this many milliseconds pass. */
  advance(ms: number): Promise<void>;
  /** The same entries seen from another process, where the cache is shared. */
  readonly another?: () => Promise<Cache>;
  /** Stop everything that runs. Called once, at the end of a test. */
  dispose?(): Promise<void>;
}

export interface CacheConformanceOptions {
  /** A fresh cache for each test, with room for at least a megabyte. */
  create(): Promise<CacheUnderTest>;
  /**
   * The capabilities in the plugin's definition. They select the tests.
   *
   * - `shared`: several processes see the same entries
   */
  readonly capabilities?: readonly string[];
}
