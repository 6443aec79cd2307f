/**
 * Whether a list in PostgreSQL costs the same whatever the number of rows, and by which plans:
 *
 *     node --conditions=source bench/storage-list-postgres.ts [rows]
 */
import { tenantId } from '@patchbay/core/plugin';
import type { ListQuery, Storage } from '@patchbay/core/storage';
import { startPostgres, type TestDatabase } from '@patchbay/postgres-for-tests';
import postgresPlugin from '@patchbay/store-postgres';
import { type Percentiles, percentiles } from './percentile.ts';
import { functionRow } from './sqlite-folder.ts';

const many = Number(process.argv[2] ?? 1_000_000);
const tenant = tenantId('bench');
const summary = ['id', 'name', 'description', 'createdAt', 'updatedAt'] as const;

type Query = Partial<ListQuery<'functions', (typeof summary)[number]>>;

async function measure(storage: Storage, rows: number): Promise<Readonly<Record<string, Percentiles>>> {
  const list = async (query: Query) =>
    await storage.list(tenant, 'functions', { sort: 'createdAt', order: 'desc', limit: 20, select: summary, ...query });
  const middle = functionRow(Math.floor(rows / 2));
  const deep = Math.min(10_000, rows - 20);
  return {
    'get by id': await percentiles(3_000, (round) =>
      storage.get(tenant, 'functions', functionRow((round * 7_919) % rows).id),
    ),
    'list 20': await percentiles(3_000, () => list({})),
    'list 20 by name': await percentiles(3_000, () => list({ sort: 'name', order: 'asc' })),
    'list 20 after the middle': await percentiles(3_000, () =>
      list({ after: { value: middle.createdAt, id: middle.id } }),
    ),
    [`list 20 at offset ${rows < 10_020 ? 'rows - 20' : '10,000'}`]: await percentiles(300, () =>
      list({ offset: deep }),
    ),
  };
}

/** Rows as `commit` would have written them, made by the server itself: a million of them in seconds. */
async function fill(database: TestDatabase, from: number, to: number): Promise<void> {
  const row = functionRow(0);
  const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;
  await database.query(`
    INSERT INTO functions (id, tenant, revision, name, key, content_hash, created_at, updated_at, description, input, output, code, artifact)
    SELECT 'function_01990000-0000-7000-8000-' || lpad(n::text, 9, '0'), '${tenant}', 1,
      'Summarize Text ' || lpad(n::text, 9, '0'), 'summarizeText' || lpad(n::text, 9, '0'), lpad(n::text, 64, '0'),
      timestamptz '2026-01-01Z' + n * interval '1 millisecond', timestamptz '2026-01-01Z' + n * interval '1 millisecond',
      ${text(row.description)}, ${text(JSON.stringify(row.input))}, ${text(JSON.stringify(row.output))}, ${text(row.code)}, ${text(row.artifact)}
    FROM generate_series(${from}, ${to - 1}) AS n`);
  await database.query(`
    INSERT INTO counts (tenant, collection, field, value, total) VALUES ('${tenant}', 'functions', '', '', ${to})
    ON CONFLICT (tenant, collection, field, value) DO UPDATE SET total = excluded.total`);
  await database.query('VACUUM ANALYZE');
}

function print(title: string, results: Readonly<Record<string, Percentiles>>, base: typeof results = {}): void {
  console.log(`\n${title}, in us`);
  for (const [name, { p50, p95, p99 }] of Object.entries(results)) {
    const before = base[name];
    const ratio = before === undefined ? '' : `   ${(p50 / before.p50).toFixed(2)}x`;
    console.log(`${name.padEnd(28)} p50 ${p50}  p95 ${p95}  p99 ${p99}${ratio}`);
  }
}

/**
 * How the server finds the rows of a list. Sorting or reading a whole table would get slower with the number of rows.
 */
async function plan(database: TestDatabase, title: string, sql: string): Promise<void> {
  const rows = await database.query(`EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF) ${sql}`);
  const lines = rows.map((row) => String(row['QUERY PLAN']));
  console.log(`\n${title}\n${lines.join('\n')}`);
  if (lines.some((line) => /Seq Scan on functions|Sort Method/.test(line))) process.exitCode = 1;
}

const postgres = await startPostgres({ settings: { shared_buffers: '512MB', max_wal_size: '8GB' } });
const database = await postgres.createDatabase();
const storage = postgresPlugin.definition.create({
  config: {
    url: database.url,
    poolSize: 4,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 60_000,
    lockTimeoutMs: 5_000,
    applicationName: 'bench',
  },
  deps: {},
  logger: { debug() {}, info() {}, warn() {}, error() {} },
  mount: 'storage',
  directory: '.',
});
try {
  await storage.start?.(new AbortController().signal);
  await storage.migrate();
  await fill(database, 0, 1_000);
  const few = await measure(storage, 1_000);
  print('1,000 functions', few);
  const start = performance.now();
  await fill(database, 1_000, many);
  console.log(`\n${many} functions written by the server in ${((performance.now() - start) / 1_000).toFixed(0)} s`);
  print(`${many} functions, p50 against 1,000`, await measure(storage, many), few);
  const from = `FROM functions WHERE tenant = '${tenant}'`;
  const middle = functionRow(Math.floor(many / 2));
  await plan(database, 'a page', `SELECT id, name, description ${from} ORDER BY created_at DESC, id DESC LIMIT 20`);
  await plan(
    database,
    'the page after a cursor',
    `SELECT id, name, description ${from} AND (created_at, id) < ('${middle.createdAt}', '${middle.id}') ORDER BY created_at DESC, id DESC LIMIT 20`,
  );
  await plan(database, 'a page of ids', `SELECT id, created_at ${from} ORDER BY created_at DESC, id DESC LIMIT 20`);
  await plan(
    database,
    'the total',
    `SELECT total FROM counts WHERE tenant = '${tenant}' AND collection = 'functions' AND field = '' AND value = ''`,
  );
  await plan(database, 'one function', `SELECT * FROM functions WHERE id = '${middle.id}' AND tenant = '${tenant}'`);
} finally {
  await storage.stop?.();
  await postgres.stop();
}
