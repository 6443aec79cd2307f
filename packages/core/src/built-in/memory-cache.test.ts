import { describe, expect, it } from 'vitest';
import { createMemoryCache } from './memory-cache.ts';

const open = (maxBytes = 16_384) => createMemoryCache({ monotonic: () => performance.now() }, maxBytes);

describe('the cache in memory', () => {
  it('a value stays until it is deleted', async () => {
    const cache = open();
    await cache.set('a', Buffer.from('one'), 60_000);
    expect(Buffer.from((await cache.get('a')) ?? []).toString()).toBe('one');
    await cache.delete('a');
    expect(await cache.get('a')).toBeUndefined();
    expect(await cache.get('b')).toBeUndefined();
  });

  it('a stored value is a copy', async () => {
    const cache = open();
    const given = new Uint8Array([1]);
    await cache.set('a', given, 60_000);
    given[0] = 9;
    const taken = await cache.get('a');
    taken?.fill(8);
    expect(await cache.get('a')).toEqual(new Uint8Array([1]));
  });

  it('the least recently used value is evicted when the cache is full, even if values are empty', async () => {
    const cache = open(1_024);
    for (let index = 0; index < 100; index += 1) await cache.set(`key${index}`, new Uint8Array(), 60_000);
    expect(await cache.get('key99')).toEqual(new Uint8Array());
    expect(await cache.get('key0')).toBeUndefined();
  });

  it('a value larger than the cache is not stored, and removes the older one', async () => {
    const cache = open(1_024);
    await cache.set('a', new Uint8Array(10), 60_000);
    await cache.set('a', new Uint8Array(2_000), 60_000);
    expect(await cache.get('a')).toBeUndefined();
  });

  it('a value without a time to live is not stored', async () => {
    const cache = open();
    await cache.set('a', new Uint8Array(1), 60_000);
    await cache.set('a', new Uint8Array(1), 0);
    expect(await cache.get('a')).toBeUndefined();
  });
});
