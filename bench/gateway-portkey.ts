/**
 * Patchbay beside Portkey's gateway: the same provider called directly, through the minimum that Node can put in
 * between, through Patchbay with credentials, limits, validation, the choice of the model, usage, metrics and the log,
 * and through Portkey's open-source gateway, which has none of these. Portkey is installed from npm into a separate
 * folder, and removed again. All are called alternately once V8 has compiled what is called.
 *
 *     pnpm build && node --conditions=source bench/gateway-portkey.ts [seconds] [rounds]
 */
import autocannon from 'autocannon';
import { openScorecard } from '../scripts/scorecard/open-scorecard.ts';
import type { Figure } from '../scripts/scorecard/scorecard-record.ts';
import { startChild } from './gateway-children.ts';
import { chunkRate } from './gateway-chunks.ts';
import { gatewayConfig } from './gateway-config.ts';
import { firstTokenTimer } from './gateway-first-token.ts';
import { startPortkey } from './portkey.ts';
import { cpuSeconds, key, residentBytes, startPatchbay } from './server-child.ts';

const scorecard = openScorecard('gateway-portkey');

const seconds = Number(process.argv[2] ?? 2);
const rounds = Number(process.argv[3] ?? 5);
/** Rounds of requests in which each gets warm: V8 compiles functions as often as it considers it worthwhile. */
const WARM_UP_ROUNDS = 6;
const CONNECTIONS = 100;
const STREAMS = 200;
const WORDS = 501;

const upstream = await startChild('gateway-upstream.ts');
const passthrough = await startChild('gateway-passthrough.ts', { args: [upstream.url] });
const config = gatewayConfig(
  upstream.url,
  `
  key: { all: &most { requests: 1000000000, seconds: 1 }, model: *most, budget: { usd: 1000000, period: month } }
  tenant: { all: *most, model: *most }
`,
);
const patchbay = await startPatchbay(config);
const portkey = await startPortkey();

const messages = [{ role: 'user', content: 'Hello, who are you?' }];
const json = { 'content-type': 'application/json' };
const withKey = { ...json, authorization: `Bearer ${key}` };
const openai = {
  path: '/v1/chat/completions',
  headers: { ...json, authorization: 'Bearer sk-bench' },
  body: { model: 'gpt-4.1', messages },
  long: { max_tokens: WORDS },
  mark: '"content":"',
  // The first chunk has the role and an empty text.
  pieces: WORDS + 1,
};
const throughPortkey = { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${upstream.url}/v1` };
const targets = {
  direct: { ...openai, child: upstream },
  passthrough: { ...openai, child: passthrough },
  Patchbay: {
    child: patchbay,
    path: '/chat',
    headers: withKey,
    body: { model: 'openai/gpt-4.1', messages },
    long: { maxTokens: WORDS },
    mark: 'event: delta',
    pieces: WORDS,
  },
  forwarded: {
    ...openai,
    child: patchbay,
    headers: withKey,
    body: { model: 'openai/gpt-4.1', messages },
  },
  Portkey: { ...openai, child: portkey, headers: { ...openai.headers, ...throughPortkey } },
} as const;
type Name = keyof typeof targets;
const names = Object.keys(targets) as Name[];

const figures = ['requests', 'microseconds', 'p50', 'p99', 'chunks', 'ofChunk'] as const;
type Figures = Readonly<Record<(typeof figures)[number], number>>;

/** @param duration Of the requests, in seconds; streams run for as long as in every round. */
async function measure(name: Name, duration = seconds): Promise<Figures> {
  const { child, path, headers, body, long, mark, pieces } = targets[name];
  const url = child.url + path;
  const before = cpuSeconds(child.pid);
  const answers = await autocannon({
    url,
    method: 'POST',
    connections: CONNECTIONS,
    duration,
    headers,
    body: JSON.stringify(body),
  });
  const failed = answers.non2xx + answers.errors;
  if (failed > 0) throw new Error(`${name}: ${failed} of ${answers.requests.total} requests failed`);
  const microseconds = ((cpuSeconds(child.pid) - before) / answers.requests.total) * 1e6;
  const streamed = { url, headers, body: JSON.stringify({ ...body, ...long, stream: true }), mark };
  const [beforeChunks, start] = [cpuSeconds(child.pid), performance.now()];
  const received = await chunkRate(streamed, { connections: CONNECTIONS, seconds, expected: pieces });
  const chunks = (received * WORDS) / pieces;
  const made = (chunks * (performance.now() - start)) / 1_000;
  const ofChunk = ((cpuSeconds(child.pid) - beforeChunks) / made) * 1e6;
  const { p50, p99 } = answers.latency;
  return { requests: answers.requests.total / duration, microseconds, p50, p99, chunks, ofChunk };
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;

const results = new Map<Name, Figures[]>(names.map((name) => [name, []]));
for (const name of names) await measure(name, seconds * WARM_UP_ROUNDS);
for (let round = 0; round < rounds; round += 1) {
  for (const name of names) results.get(name)?.push(await measure(name));
}
const of = (name: Name, figure: keyof Figures): number => median((results.get(name) ?? []).map((each) => each[figure]));

const timers = names.map((name) => {
  const { child, path, headers, body } = targets[name];
  const firstOutput = path === '/chat' ? 'event: delta' : '"content":"Hello"';
  const target = { url: child.url + path, headers, body: JSON.stringify({ ...body, stream: true }), firstOutput };
  return [name, firstTokenTimer(target)] as const;
});
const times = new Map<Name, number[]>(names.map((name) => [name, []]));
for (let round = 0; round < STREAMS; round += 1) {
  for (const [name, time] of timers) times.get(name)?.push(await time());
}
const firstToken = (name: Name): number => median(times.get(name)?.slice(STREAMS / 10) ?? []);

const column = (value: string | number): string => String(value).padStart(12);
const heads = ['requests/s', 'CPU us', 'p50 ms', 'p99 ms', 'chunks/s', 'CPU us', 'token +ms', 'RSS MiB'];
console.log(`${`${CONNECTIONS} connections`.padEnd(16)}${heads.map(column).join('')}`);
for (const name of names) {
  const rounded = figures.map((figure) => Number(of(name, figure).toPrecision(figure === 'ofChunk' ? 2 : 5)));
  const overDirect = (firstToken(name) - firstToken('direct')).toFixed(2);
  const memory = Math.round(residentBytes(targets[name].child.pid) / 1_048_576);
  console.log(name.padEnd(16) + [...rounded, overDirect, memory].map(column).join(''));
}
console.log(`
"forwarded": through Patchbay, as Portkey is asked. Portkey is ${portkey.version}.
"token +ms": first output of a stream, one connection, over the direct one (${firstToken('direct').toFixed(2)} ms).`);

const number = (value: number): string => Math.round(value).toLocaleString('en-US');
const against = (name: Name, title: string): readonly Figure[] => {
  const timesOf = (figure: keyof Figures): number => of(name, figure) / of('Portkey', figure);
  const beside = (figure: keyof Figures, unit = ''): string =>
    `${number(of(name, figure))}${unit}; Portkey ${number(of('Portkey', figure))}${unit}`;
  return [
    {
      what: `requests per second, of Portkey's: ${title}`,
      value: timesOf('requests'),
      unit: 'times',
      target: { least: 4 },
      note: beside('requests'),
    },
    {
      what: `CPU of a request, of Portkey's: ${title}`,
      value: timesOf('microseconds') * 100,
      unit: '%',
      target: { most: 20 },
      note: beside('microseconds', ' µs'),
    },
    {
      what: `streamed chunks per second, of Portkey's: ${title}`,
      value: timesOf('chunks'),
      unit: 'times',
      target: { least: 1.5 },
      note: beside('chunks'),
    },
    {
      what: `first output, over direct: ${title}`,
      value: firstToken(name) - firstToken('direct'),
      unit: 'ms',
      target: { most: 0.4 },
      note: `Portkey ${(firstToken('Portkey') - firstToken('direct')).toFixed(1)} ms`,
    },
  ];
};
scorecard.record([
  ...against('Patchbay', '`/chat`'),
  ...against('forwarded', 'forwarded chats'),
  {
    what: 'memory after that',
    value: residentBytes(patchbay.pid) / 1_048_576,
    unit: 'MiB',
    target: { most: 200 },
    note: `Portkey ${number(residentBytes(portkey.pid) / 1_048_576)} MiB`,
  },
]);

for (const child of [portkey, patchbay, passthrough, upstream]) await child.stop();
