import assert from 'node:assert/strict';
import type { Cache } from '@patchbay/core/plugin';
import type { Runner } from '../runner.ts';
import type { CacheConformanceOptions, CacheUnderTest } from './cache-under-test.ts';

const hour = 3_600_000;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (value: Uint8Array | undefined): string | undefined => value && new TextDecoder().decode(value);

/**
 * The tests that every cache has to pass, run against yours. A cache may evict at any time: no test requires more than that
 * a value just put into an empty cache is there.
 *
 * @example
 * ```ts
 * import { describe, it } from 'node:test';
 * import type { Cache } from '@patchbay/core/plugin';
 * import { cacheConformance } from '@patchbay/testing';
 *
 * declare function createMyCache(now: () => number): Cache;
 *
 * cacheConformance({ describe, it }, {
 *   async create() {
 *     let now = 0;
 *     const advance = async (ms: number) => void (now += ms);
 *     return { cache: createMyCache(() => now), advance };
 *   },
 * });
 * ```
 */
export function cacheConformance(runner: Runner, options: CacheConformanceOptions): void {
  const it = (name: string, body: (subject: CacheUnderTest) => Promise<void>) =>
    runner.it(name, async () => {
      const subject = await options.create();
      try {
        await body(subject);
      } finally {
        await subject.dispose?.();
      }
    });

  runner.describe('cache', () => {
    it('returns a stored value, and undefined for other keys', async ({ cache }) => {
      assert.equal(await cache.get('key'), undefined);
      await cache.set('key', bytes('value'), hour);
      assert.equal(text(await cache.get('key')), 'value');
      for (const other of ['', 'ke', 'keys', 'KEY', ' key', 'key\0', 'kéy']) {
        assert.equal(await cache.get(other), undefined, other);
      }
    });

    it('returns every byte as it was, of small and of large values', async ({ cache }) => {
      const all = Uint8Array.from({ length: 256 }, (_, index) => index);
      const large = new Uint8Array(200_000).map((_, index) => (index * 7) % 251);
      for (const [key, value] of [
        ['empty', new Uint8Array()],
        ['all', all],
        ['large', large],
      ] as const) {
        await cache.set(key, value, hour);
        const found = await cache.get(key);
        assert.ok(found !== undefined && Buffer.from(value).equals(found), key);
      }
    });

    it('accepts any text as a key', async ({ cache }) => {
      const keys = ['', ' ', 'a:b', 'a*', '%00', '\0', '\n', 'é', 'e\u0301', '😀', '__proto__', 'k'.repeat(2_000)];
      for (const [index, key] of keys.entries()) await cache.set(key, bytes(String(index)), hour);
      for (const [index, key] of keys.entries()) assert.equal(text(await cache.get(key)), String(index));
    });

    it('forgets when the time is up, and not before', async ({ cache, ...time }) => {
      await cache.set('short', bytes('1'), 1_000);
      await cache.set('long', bytes('2'), hour);
      await time.advance(800);
      assert.equal(text(await cache.get('short')), '1');
      await time.advance(201);
      assert.equal(await cache.get('short'), undefined);
      assert.equal(text(await cache.get('long')), '2');
    });

    it('counts the time from the last set', async ({ cache, ...time }) => {
      await cache.set('key', bytes('old'), 1_000);
      await time.advance(800);
      await cache.set('key', bytes('new'), 1_000);
      await time.advance(800);
      assert.equal(text(await cache.get('key')), 'new');
      await time.advance(201);
      assert.equal(await cache.get('key'), undefined);
    });

    it('a read does not lengthen the time', async ({ cache, ...time }) => {
      await cache.set('key', bytes('value'), 1_000);
      for (let round = 0; round < 4; round += 1) {
        await time.advance(240);
        assert.equal(text(await cache.get('key')), 'value');
      }
      await time.advance(41);
      assert.equal(await cache.get('key'), undefined);
    });

    it('a value without time to live replaces the one before and is gone', async ({ cache }) => {
      for (const ttlMs of [0, -1]) {
        await cache.set('key', bytes('old'), hour);
        await cache.set('key', bytes('new'), ttlMs);
        assert.equal(await cache.get('key'), undefined);
      }
    });

    it('deletes a key, and only that', async ({ cache }) => {
      await cache.set('one', bytes('1'), hour);
      await cache.set('two', bytes('2'), hour);
      await cache.delete('one');
      await cache.delete('never there');
      assert.equal(await cache.get('one'), undefined);
      assert.equal(text(await cache.get('two')), '2');
    });

    it('changes of bytes in hand do not affect stored values', async ({ cache }) => {
      const given = bytes('value');
      await cache.set('key', given, hour);
      given.fill(0);
      const read = await cache.get('key');
      assert.equal(text(read), 'value');
      read?.fill(0);
      assert.equal(text(await cache.get('key')), 'value');
    });

    it('many at once do not mix', async ({ cache }) => {
      await Promise.all(
        Array.from({ length: 200 }, async (_, index) => {
          const key = `key ${index % 50}`;
          await cache.set(key, bytes(`${key} of ${index}`), hour);
          const found = text(await cache.get(key));
          assert.ok(found === undefined || found.startsWith(`${key} of `), `${key} has ${found}`);
        }),
      );
    });

    it('more than it has room for makes it forget, and not fail', async ({ cache }) => {
      const value = new Uint8Array(50_000);
      for (let index = 0; index < 600; index += 1) {
        value[0] = index % 256;
        await cache.set(`key ${index}`, value, hour);
        const found = await cache.get(`key ${index}`);
        assert.ok(found === undefined || found[0] === index % 256);
      }
    });

    sharedSuite(it, options);
  });
}

type It = (name: string, body: (subject: CacheUnderTest) => Promise<void>) => void;

function sharedSuite(it: It, { capabilities = [] }: CacheConformanceOptions): void {
  if (!capabilities.includes('shared')) return;
  const withOther = (name: string, body: (mine: Cache, theirs: Cache) => Promise<void>) =>
    it(name, async ({ cache, another }) => {
      assert.ok(another, 'what is shared can be seen from another process');
      await body(cache, await another());
    });

  withOther('another process reads what was put in, and no more once it is deleted', async (mine, theirs) => {
    await mine.set('key', bytes('value'), hour);
    assert.equal(text(await theirs.get('key')), 'value');
    await theirs.set('key', bytes('newer'), hour);
    assert.equal(text(await mine.get('key')), 'newer');
    await theirs.delete('key');
    assert.equal(await mine.get('key'), undefined);
  });
}
