/**
 * The throughput of Patchbay beside bare Koa, with everything that Patchbay does for a request: credentials, scopes,
 * parameters, limits, the log, SQLite. Both are separate processes, called alternately.
 *
 *     pnpm build && node --conditions=source bench/http-read.ts [seconds] [rounds]
 */
import autocannon from 'autocannon';
import { openScorecard } from '../scripts/scorecard/open-scorecard.ts';
import type { Figure } from '../scripts/scorecard/scorecard-record.ts';
import { ask, cpuSeconds, key, type ServerChild, startKoa, startPatchbay } from './server-child.ts';

const scorecard = openScorecard('http-read');

const seconds = Number(process.argv[2] ?? 4);
const rounds = Number(process.argv[3] ?? 3);

interface Measured {
  readonly rate: number;
  /** CPU of the server, which other load on the machine does not change much. */
  readonly microseconds: number;
  readonly p99: number;
}

async function measure({ url, pid }: ServerChild, path: string): Promise<Measured> {
  const before = cpuSeconds(pid);
  const { requests, latency, non2xx, errors } = await autocannon({
    url: url + path,
    connections: 50,
    duration: seconds,
    headers: { authorization: `Bearer ${key}` },
  });
  if (non2xx + errors > 0) throw new Error(`${path}: ${non2xx} answers were no success, ${errors} errors`);
  return {
    rate: requests.total / seconds,
    microseconds: ((cpuSeconds(pid) - before) / requests.total) * 1e6,
    p99: latency.p99,
  };
}

const best = (all: readonly Measured[]): Measured => ({
  rate: Math.max(...all.map(({ rate }) => rate)),
  microseconds: Math.min(...all.map(({ microseconds }) => microseconds)),
  p99: Math.min(...all.map(({ p99 }) => p99)),
});

const patchbay = await startPatchbay();
const source = {
  name: 'Summarize Text',
  description: 'Makes a long text short, in the language of the text.',
  input: {
    type: 'object',
    properties: { text: { type: 'string' }, maxPoints: { type: 'integer', default: 5 } },
    required: ['text'],
  },
  output: { type: 'object', properties: { points: { type: 'array', items: { type: 'string' } } } },
  code: `export default ({ text, maxPoints }) => ({ points: text.split('. ').slice(0, maxPoints) });\n${'// a line of source text\n'.repeat(20)}`,
};
for (let count = 0; count < 30; count += 1) await ask(patchbay.url, 'POST', '/functions', source);
const list = (await ask(patchbay.url, 'GET', '/functions')) as { data: { id: string }[] };
const path = `/functions/${list.data[0]?.id}`;
const koa = await startKoa(JSON.stringify({ one: await ask(patchbay.url, 'GET', path), list }));

const figures: Figure[] = [];
console.log('                       requests/s                    CPU us per request            p99 ms');
console.log('                    Koa  Patchbay  ratio             Koa  Patchbay  ratio        Koa  Patchbay');
for (const [name, target] of [
  ['GET /functions/:id', path],
  ['GET /functions', '/functions'],
] as const) {
  const results: { koa: Measured[]; patchbay: Measured[] } = { koa: [], patchbay: [] };
  for (let round = 0; round < rounds; round += 1) {
    results.koa.push(await measure(koa, target));
    results.patchbay.push(await measure(patchbay, target));
  }
  const [bare, ours] = [best(results.koa), best(results.patchbay)];
  const percent = (share: number): string => `${(share * 100).toFixed(0)} %`.padStart(6);
  const column = (number: number, digits = 0): string => number.toFixed(digits).padStart(9);
  console.log(
    `${name.padEnd(18)}${column(bare.rate)}${column(ours.rate)} ${percent(ours.rate / bare.rate)}    ` +
      `${column(bare.microseconds)}${column(ours.microseconds)} ${percent(bare.microseconds / ours.microseconds)}   ` +
      `${column(bare.p99)}${column(ours.p99)}`,
  );
  const share = Math.round((bare.microseconds / ours.microseconds) * 100);
  const [mine, koas] = [ours, bare].map(({ microseconds }) => `${microseconds.toFixed(0)} µs`);
  figures.push(
    {
      what: `\`${name}\`: CPU of bare Koa, as a share of ours`,
      value: share,
      unit: '%',
      target: { least: 40 },
      note: `${mine}; bare Koa ${koas}`,
    },
    {
      what: `\`${name}\`, 50 connections`,
      value: Math.round(ours.rate),
      unit: 'requests/s',
      note: `bare Koa ${Math.round(bare.rate).toLocaleString('en-US')}`,
    },
  );
}
await koa.stop();
await patchbay.stop();
scorecard.record(figures);
