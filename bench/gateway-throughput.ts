/**
 * The throughput of a provider behind the gateway: called directly, through the minimum that Node
 * can put in between, and through Patchbay, with credentials, validation, the choice of the model, the adapter and the
 * log. All of them are separate processes on this machine, called alternately.
 *
 *     tsc -b && node --conditions=source bench/gateway-throughput.ts [seconds] [rounds]
 */
import autocannon from 'autocannon';
import { openScorecard } from '../scripts/scorecard/open-scorecard.ts';
import { agentMessages, agentTools } from './agent-request.ts';
import { startChild } from './gateway-children.ts';
import { firstTokenTimer } from './gateway-first-token.ts';
import { cpuSeconds, key, residentBytes } from './server-child.ts';

const scorecard = openScorecard('gateway-throughput');

const seconds = Number(process.argv[2] ?? 5);
const rounds = Number(process.argv[3] ?? 3);
const STREAMS = 500;

const upstream = await startChild('gateway-upstream.ts');
const passthrough = await startChild('gateway-passthrough.ts', { args: [upstream.url] });
const patchbay = await startChild('../packages/server/dist/main.js', {
  env: {
    PATCHBAY_BOOTSTRAP_KEY: key,
    PATCHBAY_LIMITS_OFF: 'true',
    PORT: '0',
    OPENAI_API_KEY: 'sk-bench',
    OPENAI_BASE_URL: `${upstream.url}/v1`,
    ANTHROPIC_API_KEY: 'bench',
    ANTHROPIC_BASE_URL: upstream.url,
    GOOGLE_API_KEY: 'bench',
    GOOGLE_BASE_URL: upstream.url,
  },
  nodeArgs: (process.env['SERVER_NODE_ARGS'] ?? '').split(' ').filter(Boolean),
});

const messages = [{ role: 'user', content: 'Hello, who are you?' }];
const completions = '/v1/chat/completions';
const direct = { child: upstream, path: completions, body: { model: 'gpt-4.1', messages } };
const agentCompletion = {
  model: 'openai/gpt-4.1',
  messages: agentMessages,
  tools: agentTools.map((tool) => ({ type: 'function', function: tool })),
};
const targets = {
  direct,
  passthrough: { ...direct, child: passthrough },
  'passthrough, 45 KB': { child: passthrough, path: completions, body: agentCompletion },
  'Patchbay, OpenAI': { child: patchbay, path: '/chat', body: { model: 'openai/gpt-4.1', messages } },
  'Patchbay, any of OpenAI': {
    child: patchbay,
    path: '/chat',
    body: { messages, routing: { providers: { allow: ['openai'] } } },
  },
  'Patchbay, Google': { child: patchbay, path: '/chat', body: { model: 'google/gemini-3.1-flash-lite', messages } },
  'forwarded, chat': { child: patchbay, path: completions, body: { model: 'openai/gpt-4.1', messages } },
  'Patchbay, 45 KB': {
    child: patchbay,
    path: '/chat',
    body: { model: 'openai/gpt-4.1', messages: agentMessages, tools: agentTools },
  },
  'forwarded, 45 KB': {
    child: patchbay,
    path: completions,
    body: agentCompletion,
  },
  'forwarded, messages': {
    child: patchbay,
    path: '/v1/messages',
    body: { model: 'anthropic/claude-haiku-4-5', messages, max_tokens: 100 },
  },
  'forwarded, embeddings': {
    child: patchbay,
    path: '/v1/embeddings',
    body: { model: 'openai/text-embedding-3-small', input: 'Hello, who are you?' },
  },
  'translated, chat': { child: patchbay, path: completions, body: { model: 'google/gemini-3.1-flash-lite', messages } },
  'translated, messages': {
    child: patchbay,
    path: '/v1/messages',
    body: { model: 'openai/gpt-4.1', messages, max_tokens: 100 },
  },
};
type Name = keyof typeof targets;
const names = Object.keys(targets) as Name[];

interface Measured {
  readonly rate: number;
  /** CPU of the process that was called, which other load on the machine does not change much. */
  readonly microseconds: number;
  readonly p50: number;
  readonly p99: number;
}

async function measure(name: Name): Promise<Measured> {
  const { child, path, body } = targets[name];
  const before = cpuSeconds(child.pid);
  const { requests, latency, non2xx, errors } = await autocannon({
    url: child.url + path,
    method: 'POST',
    connections: 100,
    duration: seconds,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (non2xx + errors > 0) throw new Error(`${name}: ${non2xx} answers were no success, ${errors} errors`);
  return {
    rate: requests.total / seconds,
    microseconds: ((cpuSeconds(child.pid) - before) / requests.total) * 1e6,
    p50: latency.p50,
    p99: latency.p99,
  };
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;

const results = new Map<Name, Measured[]>(names.map((name) => [name, []]));
// The first round warms up.
for (let round = 0; round <= rounds; round += 1) {
  for (const name of names) {
    const measured = await measure(name);
    if (round > 0) results.get(name)?.push(measured);
  }
}
const middle = (name: Name, field: keyof Measured): number =>
  median((results.get(name) ?? []).map((each) => each[field]));
const column = (text: string | number): string => String(text).padStart(10);

console.log(
  `${'100 connections'.padEnd(24)}${['requests/s', 'of pass.', 'CPU us', 'p50 ms', 'p99 ms'].map(column).join('')}`,
);
for (const name of names) {
  const share = `${Math.round((middle(name, 'rate') / middle('passthrough', 'rate')) * 100)} %`;
  const figures = [Math.round(middle(name, 'rate')), share, Math.round(middle(name, 'microseconds'))];
  console.log(name.padEnd(24) + [...figures, middle(name, 'p50'), middle(name, 'p99')].map(column).join(''));
}

/** Vectors do not come in pieces. */
const streamed = names.filter((name) => !name.endsWith('embeddings'));
const timers = new Map(
  streamed.map((name) => {
    const { child, path, body } = targets[name];
    const firstOutput = path === '/chat' ? 'event: delta' : '"Hello"';
    return [
      name,
      firstTokenTimer({
        url: child.url + path,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, stream: true }),
        firstOutput,
      }),
    ];
  }),
);
const times = new Map<Name, number[]>(streamed.map((name) => [name, []]));
for (let round = 0; round < STREAMS; round += 1) {
  for (const [name, time] of timers) times.get(name)?.push(await time());
}
console.log('\n1 connection            first token, median ms, over direct');
const firstToken = (name: Name): number => median(times.get(name)?.slice(STREAMS / 10) ?? []);
for (const name of streamed) {
  const over = firstToken(name) - firstToken('direct');
  console.log(name.padEnd(24) + [firstToken(name).toFixed(2), over.toFixed(2)].map(column).join(''));
}
const [ours, floors] = [patchbay, passthrough].map(({ pid }) => Math.round(residentBytes(pid) / 1_048_576)) as [
  number,
  number,
];
console.log(`\nresident memory: Patchbay ${ours} MiB, passthrough ${floors} MiB`);

const share = (name: Name, title: string, least: number) => ({
  what: `requests per second of those of the passthrough, ${title}`,
  value: Math.round((middle(name, 'rate') / middle('passthrough', 'rate')) * 100),
  unit: '%',
  target: { least },
  note: `${Math.round(middle(name, 'microseconds'))} µs of CPU per request; passthrough ${Math.round(middle('passthrough', 'microseconds'))} µs`,
});
const timesNative = (name: Name, native: Name, size: string) => ({
  what: `requests per second of forwarded chats, by those of \`/chat\`: ${size}`,
  value: middle(name, 'rate') / middle(native, 'rate'),
  unit: 'times',
  target: { least: 1.3 },
  note: `${Math.round(middle(name, 'microseconds'))} µs of CPU per request, \`/chat\` ${Math.round(middle(native, 'microseconds'))} µs`,
});
scorecard.record([
  share('Patchbay, OpenAI', 'OpenAI', 50),
  share('Patchbay, Google', 'Google', 50),
  share('forwarded, chat', 'forwarded chats', 60),
  timesNative('forwarded, chat', 'Patchbay, OpenAI', 'one line'),
  timesNative('forwarded, 45 KB', 'Patchbay, 45 KB', '45 KB, as coding agents send them'),
  {
    what: 'first token of a forwarded chat, over that of the passthrough',
    value: firstToken('forwarded, chat') - firstToken('passthrough'),
    unit: 'ms',
    target: { most: 0.4 },
  },
  {
    what: 'first token, over that of the passthrough',
    value: firstToken('Patchbay, OpenAI') - firstToken('passthrough'),
    unit: 'ms',
    target: { most: 0.4 },
  },
  {
    what: 'resident memory behind all of this, of that of the passthrough',
    value: ours / floors,
    unit: 'times',
    target: { most: 1.2 },
    note: `${ours} MiB, passthrough ${floors} MiB`,
  },
]);
for (const child of [patchbay, passthrough, upstream]) await child.stop();
