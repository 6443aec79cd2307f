import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HelperPool } from './helper-pool.ts';

const program = `
import { existsSync } from 'node:fs';
process.on('message', ({ question }) => {
  if (question === 'loop') for (;;) {}
  if (question.startsWith('until ')) while (!existsSync(new URL(question.slice(6), import.meta.url)));
  process.send(question);
});
process.send('ready');
`;

const never = new AbortController().signal;

describe('HelperPool', () => {
  let folder = '';
  const pools: HelperPool<string, string>[] = [];
  const create = (): HelperPool<string, string> => {
    const entry = pathToFileURL(path.join(folder, 'helper.mjs'));
    const limits = { heapMb: 64, memoryMb: 400, keptMb: 300, longMs: 100, deadlineMs: 600_000, idleMs: 60_000 };
    const pool = new HelperPool<string, string>({ entry, ...limits, processes: 2 });
    pools.push(pool);
    return pool;
  };

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'helper-'));
    await writeFile(path.join(folder, 'helper.mjs'), program);
  });
  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.stop()));
    await rm(folder, { recursive: true });
  });

  it('a tenant whose questions take for ever keeps one process, and other tenants go on', async () => {
    const pool = create();
    const greedy = Array.from({ length: 20 }, () => pool.ask('greedy', 'loop', never));
    for (const question of ['a', 'b', 'c']) {
      expect(await pool.ask('modest', question, never)).toEqual({ kind: 'answer', value: question });
    }
    await pool.stop();
    expect(new Set((await Promise.all(greedy)).map(({ kind }) => kind))).toEqual(new Set(['unavailable']));
  });

  it('tenants take turns at the processes that are left', async () => {
    const pool = create();
    const order: string[] = [];
    const held = pool.ask('greedy', 'loop', never);
    const ask = async (tenant: string, question: string): Promise<void> => {
      await pool.ask(tenant, question, never);
      order.push(`${tenant} ${question}`);
    };
    await Promise.all([
      ...['1', '2', '3'].map((question) => ask('a', question)),
      ...['1', '2', '3'].map((question) => ask('b', question)),
    ]);
    expect(order).toEqual(['a 1', 'b 1', 'a 2', 'b 2', 'a 3', 'b 3']);
    await pool.stop();
    await held;
  });

  it('two tenants whose questions take for ever do not hold up a third', async () => {
    const pool = create();
    const greedy = ['greedy', 'other'].map((tenant) => pool.ask(tenant, 'loop', never));
    expect(await pool.ask('modest', 'a', never)).toEqual({ kind: 'answer', value: 'a' });
    // By now both are known to take long, and one process is kept from them.
    expect(await pool.ask('another', 'b', never)).toEqual({ kind: 'answer', value: 'b' });
    await pool.stop();
    expect(await Promise.all(greedy)).toEqual([{ kind: 'unavailable' }, { kind: 'unavailable' }]);
  });

  it('an interrupted question starts again before the next one of another tenant', async () => {
    const pool = create();
    const order: string[] = [];
    const ask = async (tenant: string, question: string): Promise<void> => {
      const { kind } = await pool.ask(tenant, question, never);
      order.push(`${tenant} ${question} ${kind}`);
    };
    const asked = [ask('a', 'until 1'), ask('a', 'until 2'), ask('b', 'until 1'), ask('b', 'until 2')];
    // One of the two is interrupted for this one.
    await ask('modest', 'c');
    expect(order).toEqual(['modest c answer']);
    for (const name of ['1', '2']) await writeFile(path.join(folder, name), '');
    await Promise.all(asked);
    const [, ...later] = order;
    expect(later.slice(0, 2).toSorted()).toEqual(['a until 1 answer', 'b until 1 answer']);
  });

  it('a caller that left while it waited is not served', async () => {
    const pool = create();
    const held = pool.ask('greedy', 'loop', never);
    const leaving = new AbortController();
    const waiting = pool.ask('greedy', 'a', leaving.signal);
    leaving.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    await pool.stop();
    await held;
  });

  it('a pool is full for a tenant with 64 waiting questions, and for no other', async () => {
    const pool = create();
    const leaving = new AbortController();
    const asked = Array.from({ length: 65 }, () => pool.ask('greedy', 'loop', leaving.signal));
    expect([pool.isFull('greedy'), pool.isFull('modest')]).toEqual([true, false]);
    leaving.abort(new Error('left'));
    const results = await Promise.allSettled(asked.slice(1));
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect(pool.isFull('greedy')).toBe(false);
    await pool.stop();
    await asked[0]?.catch(() => undefined);
  });
});
