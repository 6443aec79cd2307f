/**
 * The throughput of Patchbay beside bare Koa, with everything that Patchbay does for a request: credentials, scopes,
 * parameters, limits, the log, SQLite. Both are separate processes, called alternately once V8 has compiled what is called.
 *
 *     pnpm build && node --conditions=source bench/http-read.ts [seconds] [rounds]
 */
import autocannon from 'autocannon';
import { openScorecard } from '../scripts/scorecard/open-scorecard.ts';
import type { Figure } from '../scripts/scorecard/scorecard-record.ts';
import { ask, cpuSeconds, key, type ServerChild, startKoa, startPatchbay } from './server-child.ts';

const scorecard = openScorecard('http-read');

const seconds = Number(process.argv[2] ?? 2);
const rounds = Number(process.argv[3] ?? 5);
/**
 * Rounds without a pause in which both get warm: V8 compiles functions as often as it considers it worthwhile, over
 * 100,000 requests.
 */
const WARM_UP_ROUNDS = 6;

interface Measured {
  readonly rate: number;
  /** CPU of the server, which other load on the machine does not change much. */
  readonly microseconds: number;
  readonly p99: number;
}

async function measure(
  { url, pid }: ServerChild,
  path: string,
  connections: number,
  duration = seconds,
): Promise<Measured> {
  const before = cpuSeconds(pid);
  const { requests, latency, non2xx, errors } = await autocannon({
    url: url + path,
    connections,
    duration,
    headers: { authorization: `Bearer ${key}` },
  });
  if (non2xx + errors > 0) throw new Error(`${path}: ${non2xx} answers were no success, ${errors} errors`);
  return {
    rate: requests.total / duration,
    microseconds: ((cpuSeconds(pid) - before) / requests.total) * 1e6,
    p99: latency.p99,
  };
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;

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
const column = (value: string | number): string => String(value).padStart(12);
const heads = ['requests/s', 'Koa', 'share', 'CPU us', 'Koa', 'share', 'p99 ms', 'Koa'];
console.log(`${''.padEnd(36)}${heads.map(column).join('')}`);
for (const [name, target] of [
  ['`GET /functions/:id`', path],
  ['`GET /functions`, 20 rows', '/functions'],
] as const) {
  for (const server of [koa, patchbay]) await measure(server, target, 50, seconds * WARM_UP_ROUNDS);
  for (const connections of [10, 50]) {
    const pairs: { readonly bare: Measured; readonly ours: Measured }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const bare = await measure(koa, target, connections);
      const ours = await measure(patchbay, target, connections);
      pairs.push({ bare, ours });
    }
    const of = (server: 'bare' | 'ours', figure: keyof Measured): number =>
      median(pairs.map((pair) => pair[server][figure]));
    const requests = median(pairs.map(({ bare, ours }) => ours.rate / bare.rate)) * 100;
    const cpu = median(pairs.map(({ bare, ours }) => bare.microseconds / ours.microseconds)) * 100;
    const [rate, koaRate] = [Math.round(of('ours', 'rate')), Math.round(of('bare', 'rate'))];
    const [own, koas] = [of('ours', 'microseconds').toFixed(0), of('bare', 'microseconds').toFixed(0)];
    const title = `${name}, ${connections} connections`;
    const shares = [requests, cpu].map((share) => `${share.toFixed(0)} %`);
    const row = [rate, koaRate, shares[0] ?? '', own, koas, shares[1] ?? '', of('ours', 'p99'), of('bare', 'p99')];
    console.log(title.replaceAll('`', '').padEnd(36) + row.map(column).join(''));
    figures.push({
      what: `${title}: requests per second, of those of bare Koa`,
      value: Math.round(requests),
      unit: '%',
      target: { least: 40 },
      note: `${rate.toLocaleString('en-US')}; bare Koa ${koaRate.toLocaleString('en-US')}`,
    });
    if (connections === 10) continue;
    figures.push({
      what: `${title}: CPU of bare Koa, as a share of ours`,
      value: Math.round(cpu),
      unit: '%',
      target: { least: 40 },
      note: `${own} µs; bare Koa ${koas} µs`,
    });
  }
}
await koa.stop();
await patchbay.stop();
scorecard.record(figures);
