import { expect, it } from 'vitest';
import { ReaderPool } from './reader-pool.ts';

const reader = (name: string, closed: string[]) => ({
  name,
  run: async () => 0,
  async close() {
    await new Promise(setImmediate);
    closed.push(name);
  },
});

it('closes each connection once, those that are lent when they come back', async () => {
  const closed: string[] = [];
  const pool = new ReaderPool([reader('a', closed), reader('b', closed)]);
  const { promise: done, resolve: end } = Promise.withResolvers<void>();
  const reading = pool.use(() => done);
  const closing = pool.close();
  await expect.poll(() => closed.length).toBe(1);
  end();
  await Promise.all([reading, closing]);
  expect(closed.toSorted()).toEqual(['a', 'b']);
});

it('serves whoever waits before it closes', async () => {
  const closed: string[] = [];
  const pool = new ReaderPool([reader('a', closed)]);
  const { promise: done, resolve: end } = Promise.withResolvers<void>();
  const reading = pool.use(() => done);
  const waiting = pool.use(async ({ name }) => {
    expect(closed).toEqual([]);
    return name;
  });
  const closing = pool.close();
  end();
  expect(await waiting).toBe('a');
  await Promise.all([reading, closing]);
  expect(closed).toEqual(['a']);
});
