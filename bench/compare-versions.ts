/**
 * Two versions of Patchbay on the main paths, called alternately: this checkout and another one, both built. Prints the
 * ratio of their CPU time and of their wall time per request, with its 95 % confidence interval over the starts.
 *
 *     git worktree add ../before v0.1.0 && (cd ../before && npm run build)
 *     tsc -b && node --conditions=source bench/compare-versions.ts ../before [starts] [path] [rounds] [factor]
 *
 * Two processes of the same program differ by up to a tenth for as long as they live, so both versions are started again
 * several times. `factor` multiplies the requests of a round: CPU time is counted in steps of 10 ms.
 */
import { resolve } from 'node:path';
import { startChild } from './gateway-children.ts';
import { gatewayConfig } from './gateway-config.ts';
import { interval } from './interval.ts';
import { ask, cpuSeconds, key, type ServerChild, startPatchbay } from './server-child.ts';

const [folder, startsGiven = '8', only = '', roundsGiven = '4', factor = '2'] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: compare-versions.ts <folder of the other version> [starts] [path]');
const [starts, rounds] = [Number(startsGiven), Number(roundsGiven)];
const upstream = await startChild('gateway-upstream.ts');

const config = (isolation: string): string =>
  `${gatewayConfig(upstream.url)}executor: { use: "@patchbay/executor-deno", with: { isolation: ${isolation} } }
`;

interface Version {
  readonly fresh: ServerChild;
  readonly reuse: ServerChild;
  readonly functionOf: Readonly<Record<'fresh' | 'reuse', string>>;
}

async function startVersion(root?: string): Promise<Version> {
  const main = root === undefined ? undefined : resolve(root, 'packages/server/dist/main.js');
  const fresh = await startPatchbay(config('fresh'), main);
  const reuse = await startPatchbay(config('reuse'), main);
  const store = async ({ url }: ServerChild): Promise<string> => {
    const schema = { type: 'object', properties: { text: { type: 'string' } } };
    const source = { name: 'Echo', input: schema, output: schema, code: 'export default (input) => input' };
    return String((await ask(url, 'POST', '/functions', source))['id']);
  };
  return { fresh, reuse, functionOf: { fresh: await store(fresh), reuse: await store(reuse) } };
}

interface Path {
  readonly requests: number;
  readonly server: 'fresh' | 'reuse';
  readonly method: string;
  readonly path: (functionId: string) => string;
  readonly body?: unknown;
}

const messages = [{ role: 'user', content: 'Hello, who are you?' }];
const model = 'openai/gpt-4.1';
const paths: Readonly<Record<string, Path>> = {
  'read a function': { requests: 400, server: 'reuse', method: 'GET', path: (id) => `/functions/${id}` },
  'list functions': { requests: 400, server: 'reuse', method: 'GET', path: () => '/functions?limit=20' },
  'execute, reuse': {
    requests: 150,
    server: 'reuse',
    method: 'POST',
    path: (id) => `/functions/${id}/execute`,
    body: { input: { text: 'a' } },
  },
  'execute, fresh': {
    requests: 25,
    server: 'fresh',
    method: 'POST',
    path: (id) => `/functions/${id}/execute`,
    body: { input: { text: 'a' } },
  },
  'call by name': {
    requests: 150,
    server: 'reuse',
    method: 'POST',
    path: () => '/call/Echo',
    body: { input: { text: 'a' } },
  },
  chat: { requests: 250, server: 'reuse', method: 'POST', path: () => '/chat', body: { model, messages } },
  'streamed chat': {
    requests: 150,
    server: 'reuse',
    method: 'POST',
    path: () => '/chat',
    body: { model, messages, stream: true },
  },
  'chat, chosen model': {
    requests: 250,
    server: 'reuse',
    method: 'POST',
    path: () => '/chat',
    body: { messages, routing: { providers: { allow: ['openai'] } } },
  },
};

interface Cost {
  readonly cpu: number;
  readonly wall: number;
}

/** Send requests over four connections, and wait for the last byte of each response. */
async function measure(version: Version, { requests, server, method, path, body }: Path): Promise<Cost> {
  const { url, pid } = version[server];
  const target = url + path(version.functionOf[server]);
  let left = requests * Number(factor);
  const client = async (): Promise<void> => {
    while (left-- > 0) {
      const response = await fetch(target, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${target}: ${response.status} ${text}`);
    }
  };
  const [cpu, start] = [cpuSeconds(pid), performance.now()];
  await Promise.all(Array.from({ length: 4 }, client));
  return { cpu: cpuSeconds(pid) - cpu, wall: performance.now() - start };
}

/** Until the compiler has settled, whatever the factor: a server is measured as it runs for days, not in its first seconds. */
const WARM_ROUNDS = Math.ceil(48 / Number(factor));

/** The geometric mean of the values of one start. */
const meanOf = (ratios: readonly number[]): number =>
  Math.exp(ratios.reduce((sum, each) => sum + Math.log(each), 0) / ratios.length);

const chosen = Object.entries(paths).filter(([name]) => name.includes(only));
const ratios = new Map(chosen.map(([name]) => [name, { cpu: [] as number[], wall: [] as number[] }]));
for (let start = 0; start < starts; start += 1) {
  const versions = { before: await startVersion(folder), now: await startVersion() };
  for (const [name, path] of chosen) {
    for (let warm = 0; warm < WARM_ROUNDS; warm += 1) {
      await measure(versions.before, path);
      await measure(versions.now, path);
    }
    const found: Record<keyof Cost, number[]> = { cpu: [], wall: [] };
    for (let round = 0; round < rounds; round += 1) {
      const first = round % 2 === 0 ? 'before' : 'now';
      const second = first === 'before' ? 'now' : 'before';
      const costs = { [first]: await measure(versions[first], path), [second]: await measure(versions[second], path) };
      for (const field of ['cpu', 'wall'] as const) {
        found[field].push((costs['now']?.[field] ?? 0) / (costs['before']?.[field] ?? 0));
      }
    }
    ratios.get(name)?.cpu.push(meanOf(found.cpu));
    ratios.get(name)?.wall.push(meanOf(found.wall));
    console.error(`start ${start + 1} of ${starts}, ${name}: CPU ${meanOf(found.cpu).toFixed(3)}`);
  }
  for (const { fresh, reuse } of Object.values(versions)) {
    await fresh.stop();
    await reuse.stop();
  }
}
await upstream.stop();
console.log('ratio now / before'.padEnd(24), 'CPU of the server'.padEnd(26), 'wall time');
for (const [name, { cpu, wall }] of ratios) console.log(name.padEnd(24), interval(cpu).padEnd(26), interval(wall));
