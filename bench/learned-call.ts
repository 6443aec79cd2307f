/**
 * The CPU of the server for a call by name among twenty models with scores: with the router that learns, with that of the
 * weighted router, alternately in one run. Two processes of the same program differ by several percent, so each start is one
 * measurement.
 *
 *     pnpm build && node --conditions=source bench/learned-call.ts [calls] [starts]
 */
import { startUpstream, upstreamReplies } from '@patchbay/testing';
import { cpuSeconds, key, startPatchbay } from './server-child.ts';

const calls = Number(process.argv[2] ?? 2_000);
const starts = Number(process.argv[3] ?? 7);
const ROUNDS = 10;
const SCORED = 100;
const upstream = await startUpstream({ dialect: 'openai' });
upstream.script(upstreamReplies.healthy({ text: '{"label":"spam"}' }));
const models = Array.from({ length: 20 }, (_, index) => ({
  name: `model-${index}`,
  vendor: 'acme',
  quality: 0.5 + index / 50,
  capabilities: ['chat', 'structured-output'],
  pricing: { input: 1 + index, output: 4 + index },
}));
const provider = { use: '@patchbay/provider-openai', with: { apiKey: 'sk-bench', baseUrl: upstream.baseUrl, models } };
const configOf = (router: string): string =>
  JSON.stringify({
    patchbay: 1,
    storage: { use: '@patchbay/store-sqlite', with: { file: './patchbay.db' } },
    authenticators: { keys: { use: '@patchbay/auth-api-key' } },
    providers: { acme: provider },
    router: { use: router },
    secretFile: './secret',
    limits: { off: true },
  });
const routers = ['@patchbay/router-weighted', '@patchbay/router-learned'];
type Server = Awaited<ReturnType<typeof startPatchbay>>;

async function post({ url }: Server, path: string, body: object): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return await (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })).text();
}

const output = { type: 'object', properties: { label: { type: 'string' } }, required: ['label'] };

async function call(server: Server): Promise<string> {
  const text = await post(server, '/call/classify', { input: { text: 'Buy now!' }, output });
  if (!text.includes('"label":"spam"')) throw new Error(text);
  return (JSON.parse(text) as { readonly id: string }).id;
}

/** CPU of each server per call, in milliseconds. */
async function measure(): Promise<readonly number[]> {
  const servers = await Promise.all(
    routers.map(async (router) => ({ ms: 0, server: await startPatchbay(configOf(router)) })),
  );
  for (const { server } of servers) {
    for (let count = 0; count < SCORED; count += 1)
      await post(server, '/feedback', { target: await call(server), value: 1 });
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const each of round % 2 === 0 ? servers : servers.toReversed()) {
      const before = cpuSeconds(each.server.pid);
      for (let count = 0; count < calls / ROUNDS; count += 1) await call(each.server);
      each.ms += (cpuSeconds(each.server.pid) - before) * 1_000;
    }
  }
  for (const { server } of servers) await server.stop();
  return servers.map(({ ms }) => ms / calls);
}

const ratios: number[] = [];
for (let start = 1; start <= starts; start += 1) {
  const [weighted = 0, learned = 0] = await measure();
  ratios.push(learned / weighted);
  console.log(
    `weighted ${weighted.toFixed(3)} ms, learned ${learned.toFixed(3)} ms: ${(learned / weighted).toFixed(3)} times`,
  );
}
await upstream.stop();
const sorted = ratios.toSorted((one, other) => one - other);
console.log(`median of ${starts} starts: ${(sorted[Math.floor(starts / 2)] ?? 0).toFixed(3)} times`);
