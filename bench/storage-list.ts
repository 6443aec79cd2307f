/**
 * Whether a list costs the same whatever the number of rows: 1,000 functions against 1,000,000.
 *
 *     node --conditions=source bench/storage-list.ts [rows]
 */
import { tenantId } from '@patchbay/core/plugin';
import type { ListQuery, Storage } from '@patchbay/core/storage';
import { openScorecard } from '../scripts/scorecard/open-scorecard.ts';
import { type Percentiles, percentiles } from './percentile.ts';
import { functionRow, withSqlite } from './sqlite-folder.ts';

const scorecard = openScorecard('storage-list');

const many = Number(process.argv[2] ?? 1_000_000);
const tenant = tenantId('bench');
const summary = ['id', 'name', 'description', 'createdAt', 'updatedAt'] as const;

async function fill(storage: Storage, from: number, to: number): Promise<void> {
  for (let start = from; start < to; start += 1_000) {
    const writes = Array.from({ length: Math.min(1_000, to - start) }, (_, index) => ({
      insert: 'functions' as const,
      row: functionRow(start + index),
    }));
    const result = await storage.commit(tenant, writes);
    if (!result.done) throw new Error(`rows from ${start} were refused`);
  }
}

async function measure(storage: Storage, rows: number): Promise<Readonly<Record<string, Percentiles>>> {
  const list = async (query: Partial<ListQuery<'functions', (typeof summary)[number]>>) =>
    await storage.list(tenant, 'functions', { sort: 'createdAt', order: 'desc', limit: 20, select: summary, ...query });
  const deep = Math.min(10_000, rows - 20);
  const middle = functionRow(Math.floor(rows / 2));
  return {
    'get by id': await percentiles(20_000, (round) =>
      storage.get(tenant, 'functions', functionId((round * 7_919) % rows)),
    ),
    'list 20': await percentiles(20_000, () => list({})),
    'list 20 by name': await percentiles(20_000, () => list({ sort: 'name', order: 'asc' })),
    'list 20, full rows': await percentiles(5_000, () =>
      storage.list(tenant, 'functions', { sort: 'createdAt', order: 'desc', limit: 20 }),
    ),
    'list 20 after the middle': await percentiles(20_000, () =>
      list({ after: { value: middle.createdAt, id: middle.id } }),
    ),
    [`list 20 at offset ${rows < 10_020 ? 'rows - 20' : '10,000'}`]: await percentiles(1_000, () =>
      list({ offset: deep }),
    ),
  };
}

function functionId(number: number): string {
  return `function_01990000-0000-7000-8000-${String(number).padStart(9, '0')}`;
}

function print(
  title: string,
  results: Readonly<Record<string, Percentiles>>,
  base?: Readonly<Record<string, Percentiles>>,
) {
  console.log(`\n${title}, in us`);
  for (const [name, { p50, p95, p99 }] of Object.entries(results)) {
    const before = base?.[name];
    const ratio = before === undefined ? '' : `   ${(p50 / before.p50).toFixed(2)}x`;
    console.log(`${name.padEnd(28)} p50 ${p50}  p95 ${p95}  p99 ${p99}${ratio}`);
  }
}

await withSqlite(async (storage) => {
  await fill(storage, 0, 1_000);
  const few = await measure(storage, 1_000);
  print('1,000 functions', few);
  const start = performance.now();
  await fill(storage, 1_000, many);
  const seconds = (performance.now() - start) / 1_000;
  console.log(`\n${many} functions written in ${seconds.toFixed(0)} s`);
  const all = await measure(storage, many);
  print(`${many} functions, p50 against 1,000`, all, few);
  const targets = { 'get by id': 2, 'list 20': 1.5, 'list 20 after the middle': 1.5 };
  const ratios = Object.entries(targets).map(([name, most]) => ({
    what: `${name}, of ${many.toLocaleString('en-US')}: p50 over that of 1,000`,
    value: (all[name]?.p50 ?? 0) / (few[name]?.p50 ?? 1),
    unit: 'times',
    target: { most },
    note: `${all[name]?.p50} µs`,
  }));
  const deep = all['list 20 at offset 10,000'];
  const last = deep ? [{ what: 'list 20 at offset 10,000: p50', value: deep.p50, unit: 'µs' }] : [];
  scorecard.record([...ratios, ...last]);
});
