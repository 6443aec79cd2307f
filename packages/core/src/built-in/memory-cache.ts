import type { Cache } from '@patchbay/contracts/cache';
import type { Clock } from '@patchbay/contracts/clock';
import { definePlugin } from '@patchbay/contracts/define-plugin';
import { services } from '@patchbay/contracts/services';
import { LRUCache } from 'lru-cache';

/**
 * An in-process cache that keeps the most recently used values, up to a number of bytes.
 *
 * @example
 * ```ts
 * import { createMemoryCache } from '@patchbay/core';
 *
 * const clock = { monotonic: () => performance.now() };
 * const cache = createMemoryCache(clock, 16_777_216);
 * ```
 */
export function createMemoryCache(clock: Pick<Clock, 'monotonic'>, maxBytes: number): Cache {
  const entries = new LRUCache<string, Uint8Array>({
    maxSize: maxBytes,
    // An empty value still takes room: its key, and about as much again for the entry itself.
    sizeCalculation: (value, key) => value.byteLength + 2 * key.length + 64,
    // The cache treats a start time of zero as none.
    perf: { now: () => clock.monotonic() + 1 },
    // Otherwise an entry that was read just before it expires stays for a while.
    ttlResolution: 0,
  });
  return {
    async get(key) {
      return entries.get(key)?.slice();
    },
    // Copied when written and when read: a caller that reuses its buffer must not change the data of others.
    async set(key, value, ttlMs) {
      if (ttlMs > 0) entries.set(key, value.slice(), { ttl: ttlMs });
      else entries.delete(key);
    },
    async delete(key) {
      entries.delete(key);
    },
  };
}

/** `createMemoryCache` as a plugin: the default of a host. */
export const memoryCache = definePlugin({
  name: '@patchbay/core/memory-cache',
  kind: 'cache',
  version: 1,
  config: {
    properties: {
      maxBytes: { type: 'integer', minimum: 1_024, default: 16_777_216, description: 'Bytes of keys and values.' },
    },
  },
  deps: { clock: services.clock },
  create: ({ config, deps }) => createMemoryCache(deps.clock, config.maxBytes),
});
