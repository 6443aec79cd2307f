/**
 * The gain of a second replica on the same PostgreSQL, and where the CPU time of a request goes: to the replica, to the
 * processes that run functions, or to PostgreSQL; with the transactions that write, and how much. Rates mean little where
 * everything shares a few cores; CPU per request is what `docs/operate/sizing.md` counts with.
 *
 *     pnpm build && node --conditions=source bench/replicas.ts [seconds] [rounds] [connections]
 */
import { availableParallelism } from 'node:os';
import { startPostgres, type TestDatabase } from '@patchbay/postgres-for-tests';
import autocannon from 'autocannon';
import { openScorecard } from '../scripts/scorecard/open-scorecard.ts';
import type { Figure } from '../scripts/scorecard/scorecard-record.ts';
import { startChild } from './gateway-children.ts';
import { processesBelow } from './processes-below.ts';
import { ask, cpuSeconds, key, type ServerChild, startPatchbay } from './server-child.ts';

const scorecard = openScorecard('replicas');

const seconds = Number(process.argv[2] ?? 4);
const rounds = Number(process.argv[3] ?? 3);
const connections = Number(process.argv[4] ?? 16);

// Every flush is waited for, as in production.
const postgres = await startPostgres({ settings: { fsync: 'on', full_page_writes: 'on', shared_buffers: '256MB' } });
const database = await postgres.createDatabase();
const upstream = await startChild('gateway-upstream.ts');
const config = `patchbay: 1
server: { consumeJobs: false }
storage: { use: "@patchbay/store-postgres", with: { url: "${database.url}" } }
executor: { use: "@patchbay/executor-deno", with: { isolation: reuse } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
providers:
  openai: { use: "@patchbay/provider-openai", with: { apiKey: sk-bench, catalogue: true, baseUrl: "${upstream.url}/v1" } }
secret: a-root-secret-that-all-replicas-share
limits: { off: true }
`;

interface Load {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly body?: unknown;
}

/** Seconds, unless stated otherwise. */
interface Used {
  readonly replicas: number;
  readonly sandboxes: number;
  readonly postgres: number;
  readonly client: number;
  /** Those that wrote something. */
  readonly transactions: number;
  readonly walBytes: number;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

async function used(replicas: readonly ServerChild[], from: TestDatabase): Promise<Used> {
  const [row] = await from.query(`SELECT (SELECT array_to_string(array_agg(pid), ' ') FROM pg_stat_activity) AS pids,
    pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS transactions,
    pg_current_wal_lsn() - '0/0'::pg_lsn AS wal`);
  const { user, system } = process.cpuUsage();
  return {
    replicas: sum(replicas.map(({ pid }) => cpuSeconds(pid))),
    sandboxes: sum(replicas.flatMap(({ pid }) => processesBelow(pid).map(cpuSeconds))),
    postgres: sum(String(row?.['pids']).split(' ').map(Number).map(cpuSeconds)),
    client: (user + system) / 1e6,
    transactions: Number(row?.['transactions']),
    walBytes: Number(row?.['wal']),
  };
}

interface Measured {
  readonly rate: number;
  readonly p99: number;
  /** Per request: microseconds of CPU, writing transactions, bytes. */
  readonly each: Used;
  /** Cores that were busy with all of it. */
  readonly cores: number;
}

async function measure(replicas: readonly ServerChild[], { method, path, body }: Load): Promise<Measured> {
  const before = await used(replicas, database);
  const results = await Promise.all(
    replicas.map(({ url }) =>
      autocannon({
        url: url + path,
        method,
        connections: connections / replicas.length,
        duration: seconds,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    ),
  );
  const after = await used(replicas, database);
  const failures = sum(results.map(({ non2xx, errors }) => non2xx + errors));
  if (failures > 0) throw new Error(`${method} ${path}: ${failures} requests failed`);
  const count = sum(results.map(({ requests }) => requests.total));
  const spent = (name: keyof Used) => after[name] - before[name];
  const cpu = (name: keyof Used) => (spent(name) / count) * 1e6;
  return {
    rate: count / seconds,
    p99: Math.max(...results.map(({ latency }) => latency.p99)),
    each: {
      replicas: cpu('replicas'),
      sandboxes: cpu('sandboxes'),
      postgres: cpu('postgres'),
      client: cpu('client'),
      transactions: spent('transactions') / count,
      walBytes: spent('walBytes') / count,
    },
    cores: (spent('replicas') + spent('sandboxes') + spent('postgres') + spent('client')) / seconds,
  };
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
const column = (number: number, digits = 0): string => number.toFixed(digits).padStart(9);

/** With two replicas: with one, commits share more flushes than they do in an installation with many. */
function figuresOf({ name }: Load, measured: readonly Measured[]): readonly Figure[] {
  const middle = (pick: (each: Used) => number) => median(measured.map(({ each }) => pick(each)));
  return [
    { what: `${name}: CPU of a replica`, value: middle(({ replicas }) => replicas), unit: 'µs' },
    { what: `${name}: CPU of function processes`, value: middle(({ sandboxes }) => sandboxes), unit: 'µs' },
    { what: `${name}: CPU of PostgreSQL`, value: middle(({ postgres: server }) => server), unit: 'µs' },
    { what: `${name}: commits`, value: middle(({ transactions }) => transactions) },
    { what: `${name}: write-ahead log`, value: middle(({ walBytes }) => walBytes), unit: 'bytes' },
  ];
}

const one = await startPatchbay(config);
const two = await startPatchbay(config);
try {
  const source = {
    name: 'Echo',
    input: { type: 'object' },
    output: { type: 'object' },
    code: 'export default (input) => input',
  };
  const { id } = await ask(one.url, 'POST', '/functions', source);
  for (let count = 0; count < 30; count += 1) await ask(one.url, 'POST', '/functions', source);
  const path = `/functions/${String(id)}`;
  const loads: readonly Load[] = [
    { name: 'GET /functions/:id', method: 'GET', path },
    { name: 'GET /functions', method: 'GET', path: '/functions' },
    { name: 'execute, reuse', method: 'POST', path: `${path}/execute`, body: { input: { text: 'a' } } },
    {
      name: 'chat',
      method: 'POST',
      path: '/chat',
      body: { model: 'openai/gpt-4.1', messages: [{ role: 'user', content: 'Hello, who are you?' }] },
    },
    { name: 'POST /functions', method: 'POST', path: '/functions', body: source },
  ];
  for (const replica of [one, two]) {
    for (let count = 0; count < 50; count += 1) await ask(replica.url, 'POST', `${path}/execute`, { input: {} });
  }
  console.log(
    `${availableParallelism()} cores for everything, the client included; ${connections} connections; medians of ${rounds}\n`,
  );
  console.log('                              CPU in us per request of            per request');
  console.log(
    'load                replicas   replica  sandboxes  PostgreSQL    write txns  WAL bytes     rate   p99 ms  busy cores',
  );
  const figures: Figure[] = [];
  for (const load of loads) {
    const results: Measured[][] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      results[0]?.push(await measure([one], load));
      results[1]?.push(await measure([one, two], load));
    }
    for (const [index, all] of results.entries()) {
      const of = (pick: (measured: Measured) => number) => median(all.map(pick));
      console.log(
        `${load.name.padEnd(20)}${String(index + 1).padStart(8)} ` +
          `${column(of(({ each }) => each.replicas))}  ${column(of(({ each }) => each.sandboxes))}   ` +
          `${column(of(({ each }) => each.postgres))}     ${column(
            of(({ each }) => each.transactions),
            2,
          )}  ` +
          `${column(of(({ each }) => each.walBytes))}${column(of(({ rate }) => rate))}${column(of(({ p99 }) => p99))}   ` +
          `${column(
            of(({ cores }) => cores),
            2,
          )}`,
      );
    }
    figures.push(...figuresOf(load, results[1] ?? []));
  }
  scorecard.record(figures);
} finally {
  await one.stop();
  await two.stop();
  await upstream.stop();
  await postgres.stop();
}
