import type { Lifecycle } from './lifecycle.ts';

/**
 * Keeps bytes that can be made again. May forget at any time; never returns the value of another key.
 *
 * Calls can overlap; of two writes of one key, either may win. Keys are any text. What is put in or got out belongs to the
 * caller, who may change it afterwards. A rejection counts as forgotten: it is logged, and no request fails of it. No call
 * has a signal, so that one that cannot reach its server has to reject within a second or two by itself.
 */
export interface Cache extends Lifecycle {
  /** Undefined where nothing is kept, or not any more. Does not lengthen the time. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** @param ttlMs Milliseconds from now. At 0 or less nothing is kept, nor what was there before. */
  set(key: string, value: Uint8Array, ttlMs: number): Promise<void>;
  /** Does nothing for a key that is not there. */
  delete(key: string): Promise<void>;
}
