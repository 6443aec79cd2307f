import { join } from 'node:path';
import { canary } from '@patchbay/canaries';
import { type Operator, openOperator } from '@patchbay/core';
import sqlite from '@patchbay/store-sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFullSize } from '../driver/is-full-size.ts';
import { type TemporaryData, temporaryData } from '../driver/server-process.ts';
import { longestAllowed } from './longest-turn.ts';
import { watchTurns } from './watch-turns.ts';

// The same bound as for requests, for dumps: an operation of an embedded app can restore one beside its requests.

const time = '2026-01-02T03:04:05.678Z';
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));
const line = (collection: string, row: object) => JSON.stringify({ collection, tenant: 'default', row });

const functionLine = (index: number, length: number) => {
  const schema = { type: 'object', description: 'x'.repeat(length / 4) };
  const text = 'x'.repeat(length);
  const id = `function_${length}_${index}`;
  const schemas = { input: schema, output: schema };
  const names = { name: 'Large', key: 'large', description: '', contentHash: 'c0ffee' };
  const row = { id, revision: 1, ...names, ...schemas, code: text, artifact: text, createdAt: time, updatedAt: time };
  return line('functions', row);
};

const executionLine = (index: number, members: number) =>
  line('executions', {
    id: `execution_${members}_${index}`,
    revision: 1,
    functionId: 'function_1',
    functionVersion: 1,
    status: 'completed',
    input: keys(members),
    effectiveInput: null,
    output: keys(members),
    error: null,
    logs: [],
    logsTruncated: false,
    usage: null,
    durationMs: 1,
    createdAt: time,
    completedAt: time,
    createdBy: 'key_1',
    owner: null,
    attempt: 1,
    principal: null,
    parentId: null,
    calls: null,
  });

/** The lines of a dump, made before they are read: to make one takes long as well. */
function dumpOf(count: number, make: (index: number) => string): AsyncGenerator<string> {
  const lines = Array.from({ length: count }, (_, index) => make(index));
  async function* read() {
    yield '{"patchbay":"dump","version":1}';
    yield* lines;
  }
  return read();
}

// Several commits of each kind, also where they are few.
const counts = isFullSize ? { functions: 80, large: 8, small: 20_000 } : { functions: 16, large: 3, small: 3_000 };

let data: TemporaryData;
let operator: Operator;
const turns = watchTurns();

beforeAll(async () => {
  data = await temporaryData();
  const storage = { use: sqlite, with: { file: join(data.path, 'patchbay.db') } };
  operator = await openOperator({ patchbay: 1, storage, secret: canary('root-secret') });
  await operator.restore(
    dumpOf(10, (index) => functionLine(index, 100)),
    { everything: true, skip: false },
  );
  await operator.restore(
    dumpOf(10, (index) => executionLine(index, 10)),
    { everything: true, skip: false },
  );
  for await (const _ of operator.dump({ everything: true, tenant: 'default' }));
});

afterAll(async () => {
  turns.stop();
  await operator[Symbol.asyncDispose]();
  await data.remove();
});

async function longestTurnOf(title: string, work: () => Promise<unknown>): Promise<number> {
  turns.longest();
  await work();
  const longest = turns.longest();
  if (process.env['SHOW_TURNS']) console.log(`TURN ${longest} | ${title}`);
  return longest;
}

describe('the longest turn of the event loop', () => {
  it.each([
    ['functions at their limits', dumpOf(counts.functions, (index) => functionLine(index, 262_144))],
    ['executions of 120,000 members', dumpOf(counts.large, (index) => executionLine(index, 60_000))],
    ['small executions', dumpOf(counts.small, (index) => executionLine(index, 4))],
  ])('stays short while a dump with %s is restored', async (title, lines) => {
    const work = () => operator.restore(lines, { everything: true, skip: false });
    expect(await longestTurnOf(`restoring ${title}`, work)).toBeLessThan(longestAllowed);
  });

  it('stays short during a dump', async () => {
    let rows = -1;
    const work = async () => {
      for await (const _ of operator.dump({ everything: true, tenant: 'default' })) rows += 1;
    };
    expect(await longestTurnOf('dumping', work)).toBeLessThan(longestAllowed);
    // With those that were there before.
    expect(rows).toBe(counts.functions + counts.large + counts.small + 20);
  });
});
