import { testContext } from '@patchbay/testing';
import { DenoExecutor, type DenoExecutorOptions } from '../../plugins/executor-deno/src/deno-executor.ts';

const context = testContext();

/** An executor with short methods for what a bench does. */
export interface BenchExecutor {
  readonly executor: DenoExecutor;
  save(code: string): Promise<string>;
  /** @returns Milliseconds from the call to the outcome, which must be an output. */
  run(artifact: string, input: string, signal?: AbortSignal): Promise<number>;
  /** Wait until this many processes are idle without code, and with the code that ran. */
  waiting(spares: number, others?: number): Promise<void>;
}

const defaults: DenoExecutorOptions = {
  isolation: 'fresh',
  jail: 'auto',
  minJail: 'none',
  memoryMb: 128,
  offHeapMb: 128,
  cpuSeconds: 10,
  queueTimeoutMs: 60_000,
  maxQueued: 100_000,
  primed: 0,
  reuseRuns: 1_000_000,
  reuseIdleMs: 60_000,
  reuseProcesses: 16,
  typeCheck: 'error',
};

export async function startExecutor(options: Partial<DenoExecutorOptions> = {}): Promise<BenchExecutor> {
  const executor = new DenoExecutor(
    { ...defaults, ...options },
    { debug() {}, info() {}, warn: console.log, error: console.log },
  );
  await executor.start(AbortSignal.timeout(20_000));
  return {
    executor,
    async save(code) {
      const source = { code, input: { type: 'object' }, output: { type: 'object' } } as const;
      return (await executor.prepare(source, context)).artifact;
    },
    async run(artifact, input, signal) {
      const identity = { executionId: 'execution_bench', functionId: 'function_bench', functionVersion: 1 };
      const limits = { wallMs: 60_000, outputBytes: 4_194_304, logBytes: 1_000 };
      const start = performance.now();
      const outcome = await executor.execute(
        { ...identity, artifact, input, limits },
        signal === undefined ? context : { ...context, signal },
      );
      const took = performance.now() - start;
      if (outcome.status !== 'completed' && signal === undefined) throw new Error(JSON.stringify(outcome));
      return took;
    },
    async waiting(spares, others = 0) {
      for (let tries = 0; tries < 2_000; tries += 1) {
        const { detail = '' } = await executor.health();
        const ready = Number(/(?<count>\d+) spare/u.exec(detail)?.groups?.['count']);
        if (ready >= spares && executor.waitingProcesses.all.length - ready >= others) return;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      throw new Error(`the processes did not get ready: ${JSON.stringify(await executor.health())}`);
    },
  };
}

/** Three percentiles of durations, in milliseconds, as text. */
export function describe(durations: readonly number[]): string {
  const sorted = durations.toSorted((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2);
  return `p50 ${at(0.5)}  p95 ${at(0.95)}  p99 ${at(0.99)}`;
}

export const median = (durations: readonly number[]): number =>
  durations.toSorted((a, b) => a - b)[Math.floor(durations.length / 2)] ?? 0;
