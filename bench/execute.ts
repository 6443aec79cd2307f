/**
 * The cost of an execution over HTTP, its row on disk before the response: a function that returns its
 * input, in a fresh process each time and in one that is reused. One client that leaves time to start the next process,
 * one that does not, and 8 and 32 at once. Beside the first, a read is sent at the same pace, to show what idleness
 * costs.
 *
 *     pnpm build && node --conditions=source bench/execute.ts [executions]
 */
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import autocannon from 'autocannon';
import { openScorecard } from '../scripts/scorecard/open-scorecard.ts';
import type { Figure } from '../scripts/scorecard/scorecard-record.ts';
import { openBareClient, requestBytes } from './bare-client.ts';
import { ask, key, startPatchbay } from './server-child.ts';

const scorecard = openScorecard('execute');
const figures: Figure[] = [];

const executions = Number(process.argv[2] ?? 200);
const config = (isolation: string): string => `patchbay: 1
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
executor: { use: "@patchbay/executor-deno", with: { isolation: ${isolation} } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
secretFile: ./secret
limits: { off: true }
`;

for (const isolation of ['fresh', 'reuse'] as const) {
  const server = await startPatchbay(config(isolation));
  const { id } = await ask(server.url, 'POST', '/functions', {
    name: 'Echo',
    input: { type: 'object' },
    output: { type: 'object' },
    code: 'export default (input) => input',
  });
  const client = await openBareClient(server.url);
  const execute = requestBytes('POST', `/functions/${String(id)}/execute`, { input: { text: 'a' } });
  const read = requestBytes('GET', `/functions/${String(id)}`);
  for (let round = 0; round < 20; round += 1) await client.ask(execute);

  const pacedBy = async (request: Buffer): Promise<readonly number[]> => {
    const took: number[] = [];
    for (let round = 0; round < executions; round += 1) {
      await delay(100);
      took.push(await client.ask(request));
    }
    return took;
  };
  const paced = await pacedBy(execute);
  console.log(`${isolation}, 1 client, one every 100 ms: ${describe(paced)}`);
  const title = `over HTTP, \`${isolation}\``;
  figures.push({
    what: `${title}, one every 100 ms: p50`,
    value: median(paced),
    unit: 'ms',
    ...(isolation === 'fresh' && { target: { most: 3 } }),
  });

  const p99 = paced.toSorted((a, b) => a - b)[Math.floor(paced.length * 0.99)] ?? 0;
  if (isolation === 'fresh')
    figures.push({ what: `${title}, one every 100 ms: p99`, value: p99, unit: 'ms', target: { most: 12 } });

  if (isolation === 'fresh') {
    const reads = await pacedBy(read);
    console.log(`a read, 1 client, one every 100 ms: ${describe(reads)}`);
    figures.push({ what: 'over HTTP, a read, one every 100 ms: p50', value: median(reads), unit: 'ms' });
  }
  client.close();

  for (const clients of [1, 8, 32]) {
    const amount = Math.max(clients, isolation === 'fresh' ? executions : executions * 50);
    const load = {
      url: `${server.url}/functions/${String(id)}/execute`,
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ input: { text: 'a' } }),
      connections: clients,
      // It ends with a sample.
      sampleInt: 20,
    } as const;
    await autocannon({ ...load, amount: Math.max(clients, Math.ceil(amount / 5)) });
    const { duration, latency, non2xx, errors } = await autocannon({ ...load, amount });
    if (non2xx + errors > 0) throw new Error(`${non2xx + errors} of ${amount} executions failed`);
    const rate = amount / duration;
    const cores = availableParallelism();
    const took = `p50 ${latency.p50} ms  p99 ${latency.p99} ms`;
    console.log(`${isolation}, ${clients} at once: ${rate.toFixed(1)} per second on ${cores} cores; ${took}`);
    const least = { fresh: 70, reuse: 3_000 }[isolation];
    figures.push({
      what: `${title}, ${clients === 1 ? 'one client' : `${clients} clients`}`,
      value: rate,
      unit: 'per second',
      ...(clients === 8 && { target: { least } }),
      note: took,
    });
  }
  await server.stop();
}

scorecard.record(figures);

function median(durations: readonly number[]): number {
  return durations.toSorted((a, b) => a - b)[Math.floor(durations.length / 2)] ?? 0;
}

function describe(durations: readonly number[]): string {
  const sorted = durations.toSorted((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
  return `p50 ${at(0.5)} ms  p95 ${at(0.95)} ms  p99 ${at(0.99)} ms`;
}
