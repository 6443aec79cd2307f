/**
 * The cost of an execution over HTTP, its row on disk before it starts and after it ended: a function that returns its
 * input, in a fresh process each time and in one that is reused. One client that leaves time to start the next process,
 * one that does not, and eight at once.
 *
 *     pnpm build && node --conditions=source bench/execute.ts [executions]
 */
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { openScorecard } from '../scripts/scorecard/open-scorecard.ts';
import type { Figure } from '../scripts/scorecard/scorecard-record.ts';
import { ask, startPatchbay } from './server-child.ts';

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
  const execute = async (): Promise<number> => {
    const start = performance.now();
    await ask(server.url, 'POST', `/functions/${String(id)}/execute`, { input: { text: 'a' } });
    return performance.now() - start;
  };
  for (let round = 0; round < 20; round += 1) await execute();

  const paced: number[] = [];
  for (let round = 0; round < executions; round += 1) {
    await delay(100);
    paced.push(await execute());
  }
  console.log(`${isolation}, 1 client, one every 100 ms: ${describe(paced)}`);
  const p50 = paced.toSorted((a, b) => a - b)[Math.floor(paced.length / 2)] ?? 0;
  const title = `over HTTP, \`${isolation}\``;
  figures.push({
    what: `${title}, one every 100 ms: p50`,
    value: p50,
    unit: 'ms',
    ...(isolation === 'fresh' && { target: { most: 3 } }),
  });

  for (const clients of [1, 8]) {
    const took: number[] = [];
    let left = isolation === 'fresh' ? executions : executions * 20;
    const start = performance.now();
    const client = async (): Promise<void> => {
      while (left-- > 0) took.push(await execute());
    };
    await Promise.all(Array.from({ length: clients }, client));
    const rate = took.length / ((performance.now() - start) / 1_000);
    const cores = availableParallelism();
    console.log(`${isolation}, ${clients} at once: ${rate.toFixed(1)} per second on ${cores} cores; ${describe(took)}`);
    const least = { fresh: 70, reuse: 3_000 }[isolation];
    figures.push({
      what: `${title}, ${clients === 1 ? 'one client' : 'eight clients'}`,
      value: rate,
      unit: 'per second',
      ...(clients === 8 && { target: { least } }),
    });
  }
  await server.stop();
}

scorecard.record(figures);

function describe(durations: readonly number[]): string {
  const sorted = durations.toSorted((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
  return `p50 ${at(0.5)} ms  p95 ${at(0.95)} ms  p99 ${at(0.99)} ms`;
}
