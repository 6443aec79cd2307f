/**
 * Where the CPU of a chat goes: servers that do one stage more each, from a socket to the upstream, called alternately in one run.
 * A stage costs what its server needs beyond the one before, as a share of the passthrough, the minimum that a proxy in
 * Node can do.
 *
 *     npm run bench:hot-path -- [rounds] [requests]
 *
 * Exits with 1 where a stage costs 15 % of the passthrough more than the record says; fewer than five rounds are not compared.
 */
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import { openScorecard } from '../scripts/scorecard/open-scorecard.ts';
import type { Figure, ScorecardRecord } from '../scripts/scorecard/scorecard-record.ts';
import { type Child, startChild } from './gateway-children.ts';
import { type Stage, stages } from './hot-path-stages.ts';
import { cpuSeconds, key } from './server-child.ts';

const scorecard = openScorecard('hot-path');
const [rounds, requests] = [Number(process.argv[2] ?? 7), Number(process.argv[3] ?? 4_000)];
const MOST_GROWTH = 15;
const LEAST_ROUNDS = 5;
const CONNECTIONS = 16;

const meanings: Readonly<Record<Stage, string>> = {
  socket: 'socket in and out',
  pipeline: 'route, headers, response, metrics',
  credentials: 'credentials, scope, access log',
  limits: 'limits',
  body: 'body, with the limits of models',
  plan: 'plan, model in the process, answer, ledger',
  commits: 'commits of the ledger to SQLite',
  upstream: 'request to the upstream',
};

const chat = JSON.stringify({ model: 'openai/gpt-4.1', messages: [{ role: 'user', content: 'Hello, who are you?' }] });
const places: Readonly<Record<Stage | 'passthrough', string>> = {
  passthrough: '/v1/chat/completions',
  socket: '/pipeline',
  pipeline: '/pipeline',
  credentials: '/credentials',
  limits: '/credentials',
  body: '/body',
  plan: '/chat',
  commits: '/chat',
  upstream: '/chat',
};

interface Rung {
  readonly name: Stage | 'passthrough';
  readonly child: Child;
  readonly pool: Pool;
  readonly costs: number[];
}

const upstream = await startChild('gateway-upstream.ts');
const start = async (name: Rung['name'], file: string, args: readonly string[]): Promise<Rung> => {
  const child = await startChild(file, { args });
  return { name, child, pool: new Pool(child.url, { connections: CONNECTIONS }), costs: [] };
};
const rungs = [await start('passthrough', 'gateway-passthrough.ts', [upstream.url])];
for (const stage of stages) rungs.push(await start(stage, 'hot-path-server.ts', [stage, upstream.url]));

async function ask({ name, pool }: Rung): Promise<void> {
  const path = places[name];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const hasBody = path !== '/pipeline' && path !== '/credentials';
  const { statusCode, body } = await pool.request({
    path,
    method: hasBody ? 'POST' : 'GET',
    headers,
    body: hasBody ? chat : null,
  });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${name}: ${statusCode} ${text}`);
}

async function call(rung: Rung, count: number): Promise<void> {
  let left = count;
  const client = async (): Promise<void> => {
    while (left-- > 0) await ask(rung);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
}

for (const rung of rungs) await call(rung, requests * 3);
for (let round = 0; round < rounds; round += 1) {
  for (const rung of round % 2 === 0 ? rungs : rungs.toReversed()) {
    const before = cpuSeconds(rung.child.pid);
    await call(rung, requests);
    rung.costs.push(((cpuSeconds(rung.child.pid) - before) * 1_000_000) / requests);
  }
}
for (const { pool, child } of rungs) {
  await pool.close();
  await child.stop();
}
await upstream.stop();

const median = ({ costs }: Rung): number => costs.toSorted((one, other) => one - other)[costs.length >> 1] ?? 0;
const [floor = 0, ...totals] = rungs.map(median);
console.log(`${'passthrough'.padEnd(46)} ${floor.toFixed(0)} µs of CPU`);
const figures = stages.map((stage, place): Figure => {
  const cost = (totals[place] ?? 0) - (totals[place - 1] ?? 0);
  const share = Math.round((100 * cost) / floor);
  console.log(`${meanings[stage].padEnd(46)} ${cost.toFixed(0).padStart(4)} µs  ${share} % of the passthrough`);
  return { what: `CPU of a chat: ${meanings[stage]}`, value: share, unit: '%', note: `${cost.toFixed(0)} µs` };
});

const grown = figures.filter(
  ({ what, value }) => rounds >= LEAST_ROUNDS && Number(value) > recorded(what) + MOST_GROWTH,
);
for (const { what, value } of grown) console.error(`${what}: ${value} %, recorded ${recorded(what)} %`);
if (grown.length > 0) process.exitCode = 1;
scorecard.record([{ what: 'CPU of a passthrough', value: Math.round(floor), unit: 'µs' }, ...figures]);

/** The share of a stage in the record, which `--record` writes on a quiet machine; infinite where there is none. */
function recorded(what: string): number {
  try {
    const file = new URL('../docs/scorecards/hot-path.json', import.meta.url);
    const record = JSON.parse(readFileSync(file, 'utf8')) as ScorecardRecord;
    return Number(record.figures.find((each) => each.what === what)?.value ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
