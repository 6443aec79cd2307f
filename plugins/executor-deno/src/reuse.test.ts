import { testContext } from '@patchbay/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { DenoExecutor, type DenoExecutorOptions } from './deno-executor.ts';
import { executorOptions, silent } from './fixtures/executor-options.ts';

/** For machines that have other things to do. */
const patience = { timeout: 10_000 };

describe('an executor that reuses processes', { timeout: 30_000 }, () => {
  const started: DenoExecutor[] = [];
  const start = async (options: Partial<DenoExecutorOptions> = {}): Promise<DenoExecutor> => {
    const executor = new DenoExecutor(
      { ...executorOptions, isolation: 'reuse', spares: 1, tidyMs: 1000, ...options },
      silent,
    );
    started.push(executor);
    await executor.start(AbortSignal.timeout(60_000));
    return executor;
  };
  const prepare = async (executor: DenoExecutor, code: string): Promise<string> =>
    (await executor.prepare({ input: {}, output: {}, code }, testContext())).artifact;
  interface Run {
    readonly input?: object;
    readonly functionId?: string;
    readonly functionVersion?: number;
    readonly tenant?: string;
    readonly signal?: AbortSignal;
    readonly wallMs?: number;
  }
  const run = async (executor: DenoExecutor, artifact: string, options: Run = {}) => {
    const { input = {}, functionId = 'function_a', functionVersion = 1, signal, wallMs = 10_000 } = options;
    const context = testContext(signal === undefined ? {} : { signal });
    const caller = {
      ...context.caller,
      tenant: (options.tenant ?? context.caller.tenant) as typeof context.caller.tenant,
    };
    const limits = { wallMs, outputBytes: 10_000, logBytes: 1000 };
    const job = {
      executionId: 'execution_test',
      functionId,
      functionVersion,
      artifact,
      input: JSON.stringify(input),
      limits,
    };
    const outcome = await executor.execute(job, { ...context, caller });
    return outcome.status === 'completed' ? outcome.output : outcome.error.reason;
  };
  /** A process that has ended its run is there for the next one as soon as it says so. */
  const kept = (executor: DenoExecutor, count: number): Promise<void> =>
    expect.poll(() => executor.keptProcessIds.length, patience).toBe(count);

  afterEach(async () => {
    await Promise.all(started.splice(0).map((executor) => executor.stop()));
  });

  const counts = 'let runs = 0; export default ({ fail, log }) => { runs++; if (fail) throw 1; return { runs }; }';

  it('executions of one version for one tenant share a process', async () => {
    const executor = await start();
    const artifact = await prepare(executor, counts);
    expect(await run(executor, artifact)).toBe('{"runs":1}');
    await kept(executor, 1);
    const [pid] = executor.keptProcessIds;
    expect(await run(executor, artifact)).toBe('{"runs":2}');
    await kept(executor, 1);
    expect(executor.keptProcessIds).toEqual([pid]);
  });

  it('shares a process with no other tenant, version, function or code', async () => {
    const executor = await start();
    const artifact = await prepare(executor, counts);
    expect(await run(executor, artifact)).toBe('{"runs":1}');
    await kept(executor, 1);
    expect(await run(executor, artifact, { tenant: 'tenant_other' })).toBe('{"runs":1}');
    expect(await run(executor, artifact, { functionVersion: 2 })).toBe('{"runs":1}');
    expect(await run(executor, artifact, { functionId: 'function_b' })).toBe('{"runs":1}');
    expect(await run(executor, await prepare(executor, `${counts}\n`))).toBe('{"runs":1}');
    expect(await run(executor, artifact)).toBe('{"runs":2}');
  });

  it('a process runs one execution at a time', async () => {
    const executor = await start();
    const code = `let under = 0; export default async () => {
      under++; await new Promise((resolve) => setTimeout(resolve, 50)); const seen = under; under--; return { seen };
    }`;
    const artifact = await prepare(executor, code);
    const outputs = await Promise.all(Array.from({ length: 3 }, () => run(executor, artifact)));
    expect(outputs).toEqual(['{"seen":1}', '{"seen":1}', '{"seen":1}']);
    await kept(executor, 3);
    expect(await Promise.all(Array.from({ length: 3 }, () => run(executor, artifact)))).toEqual(outputs);
  });

  it.each([
    ['throws', '({ bad }) => { if (bad) throw 1; return { runs: ++runs }; }', 'function_threw'],
    ['returns no object', '({ bad }) => (bad ? 1 : { runs: ++runs })', 'output_unserializable'],
    ['never settles', '({ bad }) => (bad ? new Promise(() => {}) : { runs: ++runs })', 'never_settled'],
    ['takes too long', '({ bad }) => { if (bad) for (;;); return { runs: ++runs }; }', 'wall_limit'],
    [
      'logs too much',
      '({ bad }) => { if (bad) console.log("x".repeat(2000)); return { runs: ++runs }; }',
      '{"runs":2}',
    ],
    ['leaves a timer', '({ bad }) => { if (bad) setInterval(() => {}, 1); return { runs: ++runs }; }', '{"runs":2}'],
    ['fails later', '({ bad }) => { if (bad) setTimeout(() => { throw 1; }); return { runs: ++runs }; }', '{"runs":2}'],
  ])('replaces a process whose run %s', async (_, code, expected) => {
    const executor = await start();
    const artifact = await prepare(executor, `let runs = 0; export default ${code}`);
    expect(await run(executor, artifact)).toBe('{"runs":1}');
    await kept(executor, 1);
    const [pid] = executor.keptProcessIds;
    expect(await run(executor, artifact, { input: { bad: true }, wallMs: 1000 })).toBe(expected);
    expect(await run(executor, artifact)).toBe('{"runs":1}');
    await kept(executor, 1);
    expect(executor.keptProcessIds).not.toEqual([pid]);
  });

  it('a process whose run was cancelled is not reused', async () => {
    const executor = await start();
    const artifact = await prepare(executor, counts.replace('runs++;', 'runs++; while (fail === false);'));
    expect(await run(executor, artifact)).toBe('{"runs":1}');
    await kept(executor, 1);
    const signal = AbortSignal.timeout(100);
    expect(await run(executor, artifact, { input: { fail: false }, signal })).toBe('cancelled');
    expect(await run(executor, artifact)).toBe('{"runs":1}');
  });

  it('replaces a process that has served long enough, or had nothing to do', async () => {
    const executor = await start({ reuseRuns: 2, reuseIdleMs: 200 });
    const artifact = await prepare(executor, counts);
    expect(await run(executor, artifact)).toBe('{"runs":1}');
    await kept(executor, 1);
    expect(await run(executor, artifact)).toBe('{"runs":2}');
    expect(await run(executor, artifact)).toBe('{"runs":1}');
    await kept(executor, 1);
    await kept(executor, 0);
    expect(await run(executor, artifact)).toBe('{"runs":1}');
  });

  it('a process that was killed while it waited gets no run', async () => {
    const executor = await start();
    const artifact = await prepare(executor, counts);
    expect(await run(executor, artifact)).toBe('{"runs":1}');
    await kept(executor, 1);
    for (const pid of executor.keptProcessIds) process.kill(pid, 'SIGKILL');
    await kept(executor, 0);
    expect(await run(executor, artifact)).toBe('{"runs":1}');
  });

  it('no more processes are kept than configured', async () => {
    const executor = await start({ reuseProcesses: 2 });
    const artifact = await prepare(executor, counts);
    for (const [index, functionId] of ['function_a', 'function_b', 'function_c'].entries()) {
      const before = executor.keptProcessIds;
      await run(executor, artifact, { functionId });
      await kept(executor, Math.min(2, index + 1));
      await expect.poll(() => executor.keptProcessIds, patience).not.toEqual(before);
    }
    expect(await run(executor, artifact, { functionId: 'function_a' })).toBe('{"runs":1}');
  });

  it('each run has its own logs', async () => {
    const executor = await start();
    const artifact = await prepare(executor, 'export default ({ n }) => { console.log("run", n); return {}; }');
    for (const n of [1, 2, 3]) {
      const context = testContext();
      const limits = { wallMs: 10_000, outputBytes: 10_000, logBytes: 1000 };
      const identity = { executionId: `execution_${n}`, functionId: 'function_a', functionVersion: 1 };
      const outcome = await executor.execute({ ...identity, artifact, input: JSON.stringify({ n }), limits }, context);
      expect(outcome.logs.map(({ message }) => message)).toEqual([`run ${n}`]);
    }
  });

  it('only functions that a rule names reuse processes', async () => {
    const functions = [{ match: ['function_reused'], isolation: 'reuse' as const }];
    const executor = await start({ isolation: 'fresh', functions });
    const artifact = await prepare(executor, counts);
    expect(await run(executor, artifact)).toBe('{"runs":1}');
    expect(await run(executor, artifact)).toBe('{"runs":1}');
    expect(await run(executor, artifact, { functionId: 'function_reused' })).toBe('{"runs":1}');
    await kept(executor, 1);
    expect(await run(executor, artifact, { functionId: 'function_reused' })).toBe('{"runs":2}');
  });
});
