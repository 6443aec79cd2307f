import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HelperPool } from './helper-pool.ts';

const program = `
process.on('message', ({ question }) => {
  if (question === 'loop') for (;;) {}
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
    const limits = { heapMb: 64, memoryMb: 400, keptMb: 300, deadlineMs: 20_000, idleMs: 60_000 };
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
    // The first is asked when nobody waits.
    expect(order).toEqual(['a 1', 'a 2', 'b 1', 'a 3', 'b 2', 'b 3']);
    await pool.stop();
    await held;
  });

  it('is full for the tenant that has 64 questions waiting, and for no other', async () => {
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
