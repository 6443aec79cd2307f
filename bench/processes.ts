/**
 * The CPU per request of one process and of several that serve one port, alternately in one run: what sharing costs.
 *
 *     pnpm build && node --conditions=source bench/processes.ts [requests] [rounds] [processes]
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { startUpstream, upstreamReplies } from '@patchbay/testing';
import autocannon from 'autocannon';
import { openScorecard } from '../scripts/scorecard/open-scorecard.ts';
import { cpuSeconds, key, type ServerChild, startPatchbay } from './server-child.ts';

const scorecard = openScorecard('processes');

const requests = Number(process.argv[2] ?? 4_000);
const rounds = Number(process.argv[3] ?? 7);
const processes = Number(process.argv[4] ?? 2);
const upstream = await startUpstream({ dialect: 'openai' });
upstream.script(upstreamReplies.healthy({ text: 'Hello.' }));
const models = [{ name: 'model', capabilities: ['chat'], pricing: { input: 1, output: 4 } }];
const unreached = { requests: 1_000_000, seconds: 1, burst: 1_000_000 };
const configOf = (count: number): string =>
  JSON.stringify({
    patchbay: 1,
    server: { processes: count },
    storage: { use: '@patchbay/store-sqlite', with: { file: './patchbay.db' } },
    authenticators: { keys: { use: '@patchbay/auth-api-key' } },
    providers: {
      acme: { use: '@patchbay/provider-openai', with: { apiKey: 'sk-bench', baseUrl: upstream.baseUrl, models } },
    },
    secretFile: './secret',
    // Counted, and never reached: what is shared must be shared in the measurement too.
    limits: { key: { all: unreached, model: unreached }, tenant: { all: unreached, model: unreached } },
  });

/** A server with the processes that it consists of. */
function pidsOf({ pid }: ServerChild): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return [pid, ...children.trim().split(' ').filter(Boolean).map(Number)];
}

async function load({ url }: ServerChild, amount: number): Promise<number> {
  const { '2xx': done, duration } = await autocannon({
    url: `${url}/chat`,
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'acme/model', messages: [{ role: 'user', content: 'Hello' }] }),
    connections: 32,
    amount,
  });
  if (done !== amount) throw new Error(`${amount - done} of ${amount} requests failed`);
  return amount / duration;
}

const servers = await Promise.all(
  [1, processes].map(async (count) => ({ count, server: await startPatchbay(configOf(count)) })),
);
// The first address is shown before the other processes listen.
while (pidsOf(servers[1]?.server as ServerChild).length < processes + 1) await delay(100);
for (const { server } of servers) await load(server, requests);
const ratios: number[] = [];
for (let round = 0; round < rounds; round += 1) {
  const cost = new Map<number, number>();
  for (const { count, server } of round % 2 === 0 ? servers : servers.toReversed()) {
    const total = () => pidsOf(server).reduce((sum, pid) => sum + cpuSeconds(pid), 0);
    const before = total();
    const perSecond = await load(server, requests);
    const micros = ((total() - before) * 1_000_000) / requests;
    cost.set(count, micros);
    console.log(
      `${count} process${count > 1 ? 'es' : ''}: ${micros.toFixed(0)} µs of CPU per request, ${perSecond.toFixed(0)} requests/s`,
    );
  }
  ratios.push((cost.get(processes) ?? 0) / (cost.get(1) ?? 1));
}
for (const { server } of servers) await server.stop();
await upstream.stop();
const sorted = ratios.toSorted((one, other) => one - other);
const ratio = sorted[Math.floor(rounds / 2)] ?? 0;
console.log(`CPU of ${processes} processes: ${ratio.toFixed(3)} times that of one`);
scorecard.record([{ what: `CPU of a chat, ${processes} processes against one`, value: ratio, unit: 'times' }]);
