import type { Statement } from '@patchbay/store-typeorm';
import { expect, it } from 'vitest';
import { ReaderPool } from './sqlite3.ts';

const statement: Statement = { sql: 'SELECT 1', parameters: [] };

const reader = (name: string, closed: string[], answer: Promise<unknown> = Promise.resolve()) => ({
  run: async () => 0,
  async all() {
    await answer;
    return [[name, closed.length]];
  },
  async close() {
    await new Promise(setImmediate);
    closed.push(name);
  },
});

it('a pool closes each connection once, those that are lent when they come back', async () => {
  const closed: string[] = [];
  const { promise: done, resolve: end } = Promise.withResolvers<void>();
  const pool = new ReaderPool([reader('a', closed, done), reader('b', closed, done)]);
  const reading = pool.read([statement]);
  const closing = pool.close();
  await expect.poll(() => closed.length).toBe(1);
  end();
  await Promise.all([reading, closing]);
  expect(closed.toSorted()).toEqual(['a', 'b']);
});

it('a pool serves the readers that wait before it closes', async () => {
  const closed: string[] = [];
  const { promise: done, resolve: end } = Promise.withResolvers<void>();
  const pool = new ReaderPool([reader('a', closed, done)]);
  const reading = pool.read([statement]);
  const waiting = pool.read([statement, statement]);
  const closing = pool.close();
  end();
  // The second value counts the connections that were closed by then.
  expect(await waiting).toEqual([[['a', 0]], [['a', 0]]]);
  await Promise.all([reading, closing]);
  expect(closed).toEqual(['a']);
});
