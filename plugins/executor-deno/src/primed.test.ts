import type { Logger } from '@patchbay/core/plugin';
import { testContext } from '@patchbay/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { DenoExecutor, type DenoExecutorOptions } from './deno-executor.ts';
import { executorOptions, silent } from './fixtures/executor-options.ts';

describe('an executor that loads code ahead', () => {
  const started: DenoExecutor[] = [];
  const warnings: string[] = [];
  const logger: Logger = { ...silent, warn: (text) => warnings.push(text) };
  const start = async (primed: number, options: Partial<DenoExecutorOptions> = {}): Promise<DenoExecutor> => {
    const executor = new DenoExecutor({ ...executorOptions, ...options, spares: 1, primed }, logger);
    started.push(executor);
    await executor.start(AbortSignal.timeout(60_000));
    return executor;
  };
  const prepare = async (executor: DenoExecutor, code: string): Promise<string> =>
    (await executor.prepare({ input: {}, output: {}, code }, testContext())).artifact;
  const run = async (executor: DenoExecutor, artifact: string, functionVersion = 1): Promise<string> => {
    const limits = { wallMs: 10_000, outputBytes: 10_000, logBytes: 1000 };
    const identity = { executionId: 'execution_test', functionId: 'function_test', functionVersion };
    const outcome = await executor.execute({ ...identity, artifact, input: '{}', limits }, testContext());
    return outcome.status === 'completed' ? outcome.output : outcome.error.reason;
  };
  const primed = (executor: DenoExecutor, count: number): Promise<void> =>
    expect.poll(() => executor.waitingProcesses.primed.length).toBe(count);

  afterEach(async () => {
    await Promise.all(started.splice(0).map((executor) => executor.stop()));
    warnings.splice(0);
  });

  // The module counts how often it was loaded before its function was called: never more than once in one process.
  const loads = 'let runs = 0; const loadedAt = Date.now(); export default () => ({ runs: ++runs, loadedAt });';

  it('code that has completed several times is loaded ahead, for one execution per process', async () => {
    const executor = await start(2);
    const artifact = await prepare(executor, loads);
    for (let n = 0; n < 3; n++) expect(await run(executor, artifact)).toContain('"runs":1');
    await primed(executor, 2);
    const before = executor.waitingProcesses.primed;
    const calledAt = Date.now();
    const output = JSON.parse(await run(executor, artifact)) as { readonly runs: number; readonly loadedAt: number };
    expect(output.runs).toBe(1);
    expect(output.loadedAt).toBeLessThanOrEqual(calledAt);
    await primed(executor, 2);
    expect(executor.waitingProcesses.primed).not.toEqual(before);
  });

  it('a process with code loaded ahead runs no other version', async () => {
    const executor = await start(1);
    const artifact = await prepare(executor, loads);
    for (let n = 0; n < 3; n++) await run(executor, artifact);
    await primed(executor, 1);
    const [pid] = executor.waitingProcesses.primed;
    expect(await run(executor, artifact, 2)).toContain('"runs":1');
    expect(executor.waitingProcesses.primed).toEqual([pid]);
  });

  it('code that fails is not loaded ahead', async () => {
    const executor = await start(1);
    const artifact = await prepare(executor, 'export default () => { throw 1; }');
    for (let n = 0; n < 5; n++) expect(await run(executor, artifact)).toBe('function_threw');
    expect(executor.waitingProcesses.primed).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('code that cannot wait is killed', async () => {
    const executor = await start(1, { cpuSeconds: 1 });
    const artifact = await prepare(executor, 'setTimeout(() => { for (;;); }, 100); export default () => ({});');
    for (let n = 0; n < 3; n++) expect(await run(executor, artifact)).toBe('{}');
    await expect.poll(() => warnings).not.toEqual([]);
    expect(await run(executor, artifact)).toBe('{}');
    await primed(executor, 0);
  });
});
