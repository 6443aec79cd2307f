/**
 * The cost of requests to one server on SQLite, from which the capacity of larger installations in
 * `docs/operate/sizing.md` is computed: CPU of the server per request, and memory per open stream. CPU per request hardly depends on other work on the machine; rates do, and are not measured.
 *
 *     pnpm build && node --conditions=source bench/sizing.ts [requests] [rounds] [streams]
 */
import autocannon from 'autocannon';
import { openScorecard } from '../scripts/scorecard/open-scorecard.ts';
import { startChild } from './gateway-children.ts';
import { ask, cpuSeconds, key, type ServerChild, startPatchbay } from './server-child.ts';
import { bytesPerStream, startSilentUpstream } from './silent-streams.ts';

const scorecard = openScorecard('sizing');

const requests = Number(process.argv[2] ?? 4_000);
const rounds = Number(process.argv[3] ?? 5);
const streams = Number(process.argv[4] ?? 2_000);
const CHUNKS = 22;

const unreached = { requests: 1_000_000, seconds: 1, burst: 1_000_000 };
const counted = { all: unreached, execute: unreached, model: unreached, concurrent: { model: 100_000 } };
const configOf = (baseUrl: string): string =>
  JSON.stringify({
    patchbay: 1,
    storage: { use: '@patchbay/store-sqlite', with: { file: './patchbay.db' } },
    executor: { use: '@patchbay/executor-deno', with: { isolation: 'reuse' } },
    authenticators: { keys: { use: '@patchbay/auth-api-key' } },
    providers: {
      acme: {
        use: '@patchbay/provider-openai',
        with: {
          apiKey: 'sk-bench',
          baseUrl,
          models: [{ name: 'model', capabilities: ['chat'], pricing: { input: 1, output: 4 } }],
        },
      },
    },
    secretFile: './secret',
    // Counted, and never reached: what all servers pay belongs in the measurement.
    limits: { key: counted, tenant: counted },
  });

interface Load {
  readonly what: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  readonly connections: number;
}

/** Microseconds of CPU per request. */
async function costOf({ url, pid }: ServerChild, { method, path, body, connections }: Load): Promise<number> {
  const before = cpuSeconds(pid);
  const { '2xx': done } = await autocannon({
    url: url + path,
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    connections,
    amount: requests,
    ...(body && { body: JSON.stringify(body) }),
  });
  if (done !== requests) throw new Error(`${method} ${path}: ${requests - done} of ${requests} requests failed`);
  return ((cpuSeconds(pid) - before) * 1e6) / requests;
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;

const upstream = await startChild('gateway-upstream.ts');
const server = await startPatchbay(configOf(`${upstream.url}/v1`));
const schema = { type: 'object', properties: { text: { type: 'string' } } };
const code = 'export default (input) => input';
const { id } = await ask(server.url, 'POST', '/functions', { name: 'Echo', input: schema, output: schema, code });
const chat = { model: 'acme/model', messages: [{ role: 'user', content: 'Hello, who are you?' }] };
const loads: readonly Load[] = [
  { what: 'read of a function', method: 'GET', path: `/functions/${String(id)}`, connections: 32 },
  { what: 'chat', method: 'POST', path: '/chat', body: chat, connections: 32 },
  {
    what: `chat, streamed in ${CHUNKS} pieces`,
    method: 'POST',
    path: '/chat',
    body: { ...chat, stream: true },
    connections: 32,
  },
  {
    what: 'execution, `reuse`',
    method: 'POST',
    path: `/functions/${String(id)}/execute`,
    body: { input: {} },
    connections: 8,
  },
];
const costs = new Map<Load, number[]>(loads.map((load) => [load, []]));
// The first round warms up.
for (let round = 0; round <= rounds; round += 1) {
  for (const load of loads) {
    const cost = await costOf(server, load);
    if (round > 0) costs.get(load)?.push(cost);
  }
}
await server.stop();
await upstream.stop();

const silent = await startSilentUpstream();
const held = await startPatchbay(configOf(`${silent.url}/v1`));
const stream = {
  pid: held.pid,
  url: `${held.url}/chat`,
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  body: JSON.stringify({ ...chat, stream: true }),
};
const perStream = (await bytesPerStream(stream, streams)) / 1_024;
silent.stop();
await held.stop();

const figures = loads.map((load) => ({
  what: `${load.what}: CPU of the server`,
  value: median(costs.get(load) ?? []),
  unit: 'µs',
}));
figures.push({ what: 'memory per open stream', value: perStream, unit: 'KiB' });
for (const { what, value, unit } of figures) console.log(`${what.padEnd(55)}${value.toFixed(0).padStart(7)} ${unit}`);
scorecard.record(figures);
