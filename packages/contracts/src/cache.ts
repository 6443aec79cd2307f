import type { Lifecycle } from './lifecycle.ts';

/**
 * Stores bytes that can be recomputed. May evict at any time; never returns the value of another key.
 *
 * Calls can overlap; of two writes of one key, either may win. Keys are any string. Values belong to the caller, who
 * may modify them afterwards. A rejection counts as a miss: it is logged, and no request fails. No call takes a signal:
 * a cache that cannot reach its server must reject within a second or two.
 */
export interface Cache extends Lifecycle {
  /** Undefined for a miss or an expired value. Does not extend the lifetime. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** @param ttlMs Milliseconds from now. At 0 or less, nothing is stored and an existing value is removed. */
  set(key: string, value: Uint8Array, ttlMs: number): Promise<void>;
  /** Does nothing for an unknown key. */
  delete(key: string): Promise<void>;
}
