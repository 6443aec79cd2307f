import { testContext } from '@patchbay/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DenoExecutor, type DenoExecutorOptions } from './deno-executor.ts';
import { executorOptions, silent } from './fixtures/executor-options.ts';

describe('an executor that reuses processes', () => {
  const started: DenoExecutor[] = [];
  const options = { ...executorOptions, isolation: 'reuse', spares: 1, tidyMs: 1000 } as const;
  /** For tests without special options; each test uses a separate function. */
  const executor = new DenoExecutor({ ...options, reuseProcesses: 6 }, silent);
  let own = 0;
  let keptBefore: readonly number[] = [];
  beforeAll(() => executor.start(AbortSignal.timeout(60_000)));
  afterAll(() => executor.stop());
  beforeEach(async () => {
    own += 1;
    // By then, what the last test ran in is gone or kept.
    while (executor.load().running > 0) await new Promise(setImmediate);
    keptBefore = executor.waitingProcesses.kept;
  });
  const start = async (changed: Partial<DenoExecutorOptions>): Promise<DenoExecutor> => {
    const another = new DenoExecutor({ ...options, ...changed }, silent);
    started.push(another);
    await another.start(AbortSignal.timeout(60_000));
    return another;
  };
  const prepare = async (by: DenoExecutor, code: string): Promise<string> =>
    (await by.prepare({ input: {}, output: {}, code }, testContext())).artifact;
  interface Run {
    readonly input?: object;
    readonly functionId?: string;
    readonly functionVersion?: number;
    readonly tenant?: string;
    readonly signal?: AbortSignal;
    readonly wallMs?: number;
    readonly yielded?: (output: string) => Promise<void>;
  }
  const run = async (by: DenoExecutor, artifact: string, given: Run = {}) => {
    const { input = {}, functionId = `function_${own}`, functionVersion = 1, signal, wallMs = 10_000, yielded } = given;
    const context = testContext(signal === undefined ? {} : { signal });
    const caller = {
      ...context.caller,
      tenant: (given.tenant ?? context.caller.tenant) as typeof context.caller.tenant,
    };
    const limits = { wallMs, outputBytes: 10_000, logBytes: 1000 };
    const job = {
      executionId: 'execution_test',
      functionId,
      functionVersion,
      artifact,
      input: JSON.stringify(input),
      limits,
      ...(yielded && { watcher: { wrote() {}, restarted() {}, yielded } }),
    };
    const outcome = await by.execute(job, { ...context, caller });
    return outcome.status === 'completed' ? outcome.output : outcome.error.reason;
  };
  /** A process that has ended its run is there for the next one as soon as it says so. */
  const kept = (by: DenoExecutor, count: number): Promise<void> => expect.poll(() => keptOf(by).length).toBe(count);
  /** Those that this test has left. */
  const keptOf = (by: DenoExecutor): readonly number[] =>
    by.waitingProcesses.kept.filter((pid) => !keptBefore.includes(pid));

  afterEach(async () => {
    await Promise.all(started.splice(0).map((executor) => executor.stop()));
  });

  const counts = 'let runs = 0; export default ({ fail, log }) => { runs++; if (fail) throw 1; return { runs }; }';

  it('executions of one version for one tenant share a process', async () => {
    const artifact = await prepare(executor, counts);
    expect(await run(executor, artifact)).toBe('{"runs":1}');
    await kept(executor, 1);
    const [pid] = keptOf(executor);
    expect(await run(executor, artifact)).toBe('{"runs":2}');
    await kept(executor, 1);
    expect(keptOf(executor)).toEqual([pid]);
  });

  it('generators share a process, and each reader gets the outputs of its own run', async () => {
    const code =
      'let runs = 0; export default async function* ({ n }) { runs++; for (let i = 0; i < 3; i++) yield { runs, n, i }; }';
    const artifact = await prepare(executor, code);
    for (const n of [1, 2]) {
      const seen: unknown[] = [];
      const yielded = async (output: string) => void seen.push(JSON.parse(output));
      expect(await run(executor, artifact, { input: { n }, yielded })).toBe(JSON.stringify({ runs: n, n, i: 2 }));
      expect(seen).toEqual([0, 1, 2].map((i) => ({ runs: n, n, i })));
      await kept(executor, 1);
    }
    const [pid] = keptOf(executor);
    // One that has not ended is in no state to be kept.
    const aborting = new AbortController();
    const yielded = async () => aborting.abort();
    expect(await run(executor, artifact, { input: { n: 3 }, signal: aborting.signal, yielded })).toBe('cancelled');
    expect(await run(executor, artifact, { input: { n: 4 } })).toBe('{"runs":1,"n":4,"i":2}');
    await kept(executor, 1);
    expect(keptOf(executor)).not.toContain(pid);
  });

  it('shares a process with no other tenant, version, function or code', async () => {
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
    const wallMs = expected === 'wall_limit' ? 400 : 10_000;
    const artifact = await prepare(executor, `let runs = 0; export default ${code}`);
    expect(await run(executor, artifact)).toBe('{"runs":1}');
    await kept(executor, 1);
    const [pid] = keptOf(executor);
    expect(await run(executor, artifact, { input: { bad: true }, wallMs })).toBe(expected);
    expect(await run(executor, artifact)).toBe('{"runs":1}');
    await kept(executor, 1);
    expect(keptOf(executor)).not.toEqual([pid]);
  });

  it('a process whose run was cancelled is not reused', async () => {
    const artifact = await prepare(executor, counts.replace('runs++;', 'runs++; while (fail === false);'));
    expect(await run(executor, artifact)).toBe('{"runs":1}');
    await kept(executor, 1);
    const signal = AbortSignal.timeout(100);
    expect(await run(executor, artifact, { input: { fail: false }, signal })).toBe('cancelled');
    expect(await run(executor, artifact)).toBe('{"runs":1}');
  });

  it('replaces a process that has served long enough, or had nothing to do', async () => {
    const executor = await start({ reuseRuns: 2, reuseIdleMs: 3_000 });
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
    const artifact = await prepare(executor, counts);
    expect(await run(executor, artifact)).toBe('{"runs":1}');
    await kept(executor, 1);
    for (const pid of keptOf(executor)) process.kill(pid, 'SIGKILL');
    await kept(executor, 0);
    expect(await run(executor, artifact)).toBe('{"runs":1}');
  });

  it('no more processes are kept than configured', async () => {
    const executor = await start({ reuseProcesses: 2 });
    const artifact = await prepare(executor, counts);
    for (const [index, functionId] of ['function_a', 'function_b', 'function_c'].entries()) {
      const before = keptOf(executor);
      await run(executor, artifact, { functionId });
      await kept(executor, Math.min(2, index + 1));
      await expect.poll(() => keptOf(executor)).not.toEqual(before);
    }
    expect(await run(executor, artifact, { functionId: 'function_a' })).toBe('{"runs":1}');
  });

  it('each run has its own logs', async () => {
    const artifact = await prepare(executor, 'export default ({ n }) => { console.log("run", n); return {}; }');
    for (const n of [1, 2, 3]) {
      const context = testContext();
      const limits = { wallMs: 10_000, outputBytes: 10_000, logBytes: 1000 };
      const identity = { executionId: `execution_${n}`, functionId: `function_${own}`, functionVersion: 1 };
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
