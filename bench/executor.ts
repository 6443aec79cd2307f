/**
 * What an execution costs with a process that waits for it, and with one that is started for it. Both executors are
 * asked in turns, one call at a time, and a call waits until spares are ready again.
 *
 *     node --conditions=source bench/executor.ts
 */
import type { Executor } from '@patchbay/core/plugin';
import plugin from '@patchbay/executor-deno';
import { testContext } from '@patchbay/testing';

const ROUNDS = 100;
const context = testContext();
const limits = { wallMs: 10_000, outputBytes: 100_000, logBytes: 1_000 };
const code = 'export default ({ text }) => ({ length: text.length })';
const input = JSON.stringify({ text: 'x'.repeat(1_000) });

async function create(isolation: 'fresh' | 'cold'): Promise<Executor> {
  const executor = plugin.definition.create({
    config: {
      isolation,
      jail: 'auto',
      minJail: 'none',
      memoryMb: 128,
      offHeapMb: 128,
      cpuSeconds: 10,
      queueTimeoutMs: 2_000,
      typeCheck: 'error',
    },
    deps: {},
    logger: context.logger,
    mount: 'executor',
    directory: '.',
  });
  await executor.start?.(AbortSignal.timeout(10_000));
  return executor;
}

async function spareReady(executor: Executor): Promise<void> {
  for (let tries = 0; tries < 1_000; tries += 1) {
    const { detail = '' } = (await executor.health?.()) ?? {};
    if (/ [1-9]\d* spare/u.test(detail)) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error('no spare got ready');
}

const fresh = await create('fresh');
const cold = await create('cold');
const artifact = (await fresh.prepare?.({ code, input: {}, output: {} }, context))?.artifact ?? code;
const took: Record<'fresh' | 'cold', number[]> = { fresh: [], cold: [] };

async function measure(kind: 'fresh' | 'cold', executor: Executor, round: number): Promise<void> {
  const identity = { executionId: `execution_${round}`, functionId: 'function_bench', functionVersion: 1 };
  const start = performance.now();
  const outcome = await executor.execute({ ...identity, artifact, input, limits }, context);
  const milliseconds = performance.now() - start;
  if (outcome.status !== 'completed') throw new Error(JSON.stringify(outcome));
  if (round >= 0) took[kind].push(milliseconds);
}

for (let round = -10; round < ROUNDS; round += 1) {
  await spareReady(fresh);
  // The refill after the last call is over, so that both kinds have the machine for themselves.
  await new Promise((resolve) => setTimeout(resolve, 60));
  await measure('fresh', fresh, round);
  await new Promise((resolve) => setTimeout(resolve, 60));
  await measure('cold', cold, round);
}
await Promise.all([fresh.stop?.(), cold.stop?.()]);

const at = (kind: 'fresh' | 'cold', share: number): number =>
  took[kind].toSorted((a, b) => a - b)[Math.floor(ROUNDS * share)] ?? 0;
for (const kind of ['fresh', 'cold'] as const) {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => at(kind, share).toFixed(2));
  console.log(`${kind}, in ms: p50 ${p50}  p95 ${p95}  p99 ${p99}`);
}
console.log(`cold takes ${(at('cold', 0.5) / at('fresh', 0.5)).toFixed(1)} times as long as fresh, at p50`);
