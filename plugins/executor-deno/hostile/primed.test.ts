import { testContext } from '@patchbay/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DenoExecutor } from '../src/deno-executor.ts';
import { executorOptions, silent } from '../src/fixtures/executor-options.ts';

describe('code that is loaded ahead', { timeout: 60_000 }, () => {
  const executor = new DenoExecutor({ ...executorOptions, typeCheck: 'off', spares: 2, primed: 2 }, silent);
  beforeAll(() => executor.start(AbortSignal.timeout(60_000)));
  afterAll(() => executor.stop());

  async function run(functionId: string, code: string): Promise<number> {
    const { artifact } = await executor.prepare({ code, input: {}, output: {} }, testContext());
    const limits = { wallMs: 20_000, outputBytes: 1000, logBytes: 1000 };
    const job = { executionId: 'execution_1', functionId, functionVersion: 1, artifact, input: '{}', limits };
    const outcome = await executor.execute(job, testContext());
    const { value } = JSON.parse(outcome.status === 'completed' ? outcome.output : '{}') as { readonly value: number };
    return value;
  }

  it('the module of code that is loaded ahead has settled before a run', async () => {
    const code = `let ticks = 0;
      const timer = setInterval(() => { if (++ticks === 10) clearInterval(timer); }, 5);
      export default () => ({ value: ticks });`;
    const ticks = new Set<number>();
    const next = async (): Promise<number> => {
      const value = await run('function_1', code);
      ticks.add(value);
      return value;
    };
    await expect.poll(next, { timeout: 50_000, interval: 150 }).toBe(10);
    // None where it was loaded for its run, all where it was loaded ahead.
    expect(ticks).toEqual(new Set([0, 10]));
  });
});
