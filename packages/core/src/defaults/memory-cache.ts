import { LRUCache } from 'lru-cache';
import { definePlugin } from '../contracts/define-plugin.ts';

/** Keeps what was used last, up to a number of bytes, in this process. */
export const memoryCache = definePlugin({
  name: '@patchbay/core/memory-cache',
  kind: 'cache',
  version: 1,
  config: {
    properties: {
      maxBytes: { type: 'integer', minimum: 1_024, default: 16_777_216, description: 'Bytes of keys and values.' },
    },
  },
  create({ config }) {
    const entries = new LRUCache<string, Uint8Array>({
      maxSize: config.maxBytes,
      // An empty value still takes room: its key, and about as much again for the entry itself.
      sizeCalculation: (value, key) => value.byteLength + 2 * key.length + 64,
    });
    return {
      async get(key) {
        return entries.get(key)?.slice();
      },
      // Copied on both ways: a caller that goes on to use its buffer must not change what others read.
      async set(key, value, ttlMs) {
        if (ttlMs > 0) entries.set(key, value.slice(), { ttl: ttlMs });
        else entries.delete(key);
      },
      async delete(key) {
        entries.delete(key);
      },
    };
  },
});
