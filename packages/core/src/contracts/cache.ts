import type { Lifecycle } from './lifecycle.ts';

/** Keeps bytes that can be made again. May forget at any time; never returns the value of another key. */
export interface Cache extends Lifecycle {
  get(key: string): Promise<Uint8Array | undefined>;
  set(key: string, value: Uint8Array, ttlMs: number): Promise<void>;
  delete(key: string): Promise<void>;
}
