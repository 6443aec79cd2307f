import { createMemoryCache } from '@patchbay/core';
import type { Cache } from '@patchbay/core/plugin';
import { describe, expect, it } from 'vitest';
import { failingTests } from '../failing-tests.ts';
import { cacheConformance } from './cache-conformance.ts';
import type { CacheUnderTest } from './cache-under-test.ts';

const room = 2_000_000;

/** The cache in memory but for what `spoil` makes of its methods, under a clock that is moved. */
const spoilt = (spoil: (cache: Cache, now: () => number) => Partial<Cache> = () => ({})) => {
  return async (): Promise<CacheUnderTest> => {
    let now = 0;
    const sound = createMemoryCache({ monotonic: () => now }, room);
    return {
      cache: { ...sound, ...spoil(sound, () => now) },
      advance: async (ms) => {
        now += ms;
      },
    };
  };
};

// Beside the suite and not beside its subject: the core does not depend on this package.
cacheConformance({ describe, it }, { create: spoilt() });

const broken: readonly (readonly [what: string, create: () => Promise<CacheUnderTest>, test: string])[] = [
  [
    'compares keys without case',
    spoilt((cache) => ({ get: (key) => cache.get(key.toLowerCase()) })),
    'returns a stored value, and undefined for other keys',
  ],
  [
    'keeps text and not bytes',
    spoilt((cache) => ({
      set: (key, value, ttlMs) => cache.set(key, new TextEncoder().encode(new TextDecoder().decode(value)), ttlMs),
    })),
    'returns every byte as it was, of small and of large values',
  ],
  [
    'cuts keys off',
    spoilt((cache) => ({
      get: (key) => cache.get(key.split('\0')[0] ?? ''),
      set: (key, value, ttlMs) => cache.set(key.split('\0')[0] ?? '', value, ttlMs),
    })),
    'accepts any text as a key',
  ],
  [
    'takes milliseconds for seconds',
    spoilt((cache) => ({ set: (key, value, ttlMs) => cache.set(key, value, ttlMs * 1_000) })),
    'forgets when the time is up, and not before',
  ],
  [
    'keeps the time of the first set',
    spoilt((cache, now) => {
      const ends = new Map<string, number>();
      return {
        set(key, value, ttlMs) {
          const end = ends.get(key) ?? now() + ttlMs;
          ends.set(key, end);
          return cache.set(key, value, end - now());
        },
      };
    }),
    'counts the time from the last set',
  ],
  [
    'starts the time anew with each read',
    spoilt((cache) => ({
      async get(key) {
        const value = await cache.get(key);
        if (value !== undefined) await cache.set(key, value, 1_000);
        return value;
      },
    })),
    'a read does not lengthen the time',
  ],
  [
    'ignores what has no time to live',
    spoilt((cache) => ({
      set: async (key, value, ttlMs) => (ttlMs > 0 ? await cache.set(key, value, ttlMs) : undefined),
    })),
    'a value without time to live replaces the one before and is gone',
  ],
  [
    'deletes by the beginning of a key',
    spoilt((cache) => ({
      async delete() {
        for (const key of ['one', 'two']) await cache.delete(key);
      },
    })),
    'deletes a key, and only that',
  ],
  [
    'hands out the bytes that it keeps',
    spoilt((cache) => {
      const kept = new Map<string, Uint8Array>();
      return {
        get: async (key) => kept.get(key),
        async set(key, value, ttlMs) {
          kept.set(key, value);
          await cache.set(key, value, ttlMs);
        },
      };
    }),
    'changes of bytes in hand do not affect stored values',
  ],
  [
    'answers with the value of another call',
    spoilt((cache) => {
      let last = '';
      return {
        async get(key) {
          last = key;
          await new Promise(setImmediate);
          return await cache.get(last);
        },
      };
    }),
    'many at once do not mix',
  ],
  [
    'fails when it is full',
    spoilt((cache) => {
      let used = 0;
      return {
        async set(key, value, ttlMs) {
          used += value.byteLength;
          if (used > room) throw new Error('full');
          await cache.set(key, value, ttlMs);
        },
      };
    }),
    'more than it has room for makes it forget, and not fail',
  ],
];

describe('the conformance suite of caches', () => {
  it.each(broken)('catches a cache that %s', async (_, create, test) => {
    const failing = (make: () => Promise<CacheUnderTest>) =>
      failingTests((runner) => cacheConformance(runner, { create: make }), [test]);
    expect(await failing(spoilt())).toEqual([]);
    expect(await failing(create)).toEqual([test]);
  });

  it('catches a cache that claims to be shared and is not', async () => {
    const test = 'another process reads what was put in, and no more once it is deleted';
    const failing = (another: (mine: Cache) => Promise<Cache>) => {
      const create = async () => {
        const subject = await spoilt()();
        return { ...subject, another: () => another(subject.cache) };
      };
      return failingTests((runner) => cacheConformance(runner, { create, capabilities: ['shared'] }), [test]);
    };
    expect(await failing(async (mine) => mine)).toEqual([]);
    expect(await failing(async () => (await spoilt()()).cache)).toEqual([test]);
  });
});
