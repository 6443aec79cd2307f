import { setTimeout as pause } from 'node:timers/promises';
import { testContext } from '@patchbay/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { DenoExecutor, type DenoExecutorOptions } from './deno-executor.ts';
import { executorOptions, silent } from './fixtures/executor-options.ts';
import { cpuSeconds, innermostProcess, processFields } from './system-process.ts';

/** For machines that have other things to do. */
const patience = { timeout: 60_000, interval: 20 };

const target = `const global = EventTarget.prototype;
  const forge = () => global.dispatchEvent.call(globalThis, new Event('beforeunload', { cancelable: true }));
  const listen = (name, act) => global.addEventListener.call(globalThis, name, act);
  const burn = () => { const end = Date.now() + 20; while (Date.now() < end); };`;

const isFull = process.env['PATCHBAY_TEST_SIZE'] === 'full';

/** Ways to have code run while a process waits for its next execution. Each starts at `begin()`. */
const attempts = {
  'a forged beforeunload event': `setInterval(() => { forge(); burn(); }, 0);`,
  'a beforeunload listener of its own': `listen('beforeunload', () => setInterval(burn, 0));`,
  'a listener that takes the place of the event': `listen('beforeunload', (event) => { event.preventDefault(); setTimeout(forge, 0); setInterval(burn, 0); });`,
  'a replaced preventDefault': `const { preventDefault } = Event.prototype;
    Event.prototype.preventDefault = function () { preventDefault.call(this); setInterval(burn, 0); };`,
  'an unload listener': `listen('unload', () => setInterval(burn, 0)); setInterval(() => { forge(); burn(); }, 0);`,
  'a forged error event': `setInterval(() => { forge(); burn(); }, 0); listen('error', () => burn());
    setTimeout(() => global.dispatchEvent.call(globalThis, new ErrorEvent('error', { cancelable: true, error: 1 })), 50);`,
  'an unhandled rejection': `listen('unhandledrejection', (event) => { event.stopImmediatePropagation(); setInterval(burn, 0); });
    setInterval(() => { forge(); burn(); Promise.reject(1); }, 0);`,
  'a microtask that queues timers': `const again = () => { forge(); burn(); setTimeout(() => queueMicrotask(again), 0); }; setTimeout(again, 0);`,
  'a signal that times out': `const again = () => { burn(); AbortSignal.timeout(1).onabort = again; }; again();`,
  'a finalizer': `const registry = new FinalizationRegistry(() => again());
    const again = () => { burn(); for (let n = 0; n < 200; n++) registry.register(new Array(1000).fill({}), 0); };
    again(); globalThis.kept = registry; listen('beforeunload', again);`,
  'a wait on shared memory': `const cell = new Int32Array(new SharedArrayBuffer(4));
    const again = () => { burn(); const { value } = Atomics.waitAsync(cell, 0, 0, 1); value.then(again); }; again();`,
  'a stream that never ends': `const stream = new ReadableStream({ async pull(controller) { burn(); controller.enqueue(1); await new Promise((resolve) => setTimeout(resolve)); } });
    void stream.pipeTo(new WritableStream({})); setInterval(forge, 0);`,
};

describe.runIf(process.platform === 'linux')('code between executions', { timeout: 60_000 }, () => {
  const started: DenoExecutor[] = [];
  const start = async (options: Partial<DenoExecutorOptions>): Promise<DenoExecutor> => {
    const executor = new DenoExecutor({ ...executorOptions, typeCheck: 'off', spares: 1, ...options }, silent);
    started.push(executor);
    await executor.start(AbortSignal.timeout(60_000));
    return executor;
  };
  const run = async (executor: DenoExecutor, code: string): Promise<string> => {
    const { artifact } = await executor.prepare({ input: {}, output: {}, code }, testContext());
    const limits = { wallMs: 10_000, outputBytes: 1000, logBytes: 1000 };
    const identity = { executionId: 'execution_test', functionId: 'function_test', functionVersion: 1 };
    const outcome = await executor.execute({ ...identity, artifact, input: '{}', limits }, testContext());
    return outcome.status === 'completed' ? outcome.output : outcome.error.reason;
  };
  /** CPU seconds that these processes take while they wait. */
  const idleCpu = async (pids: readonly number[]): Promise<number> => {
    const total = (): number => pids.reduce((sum, pid) => sum + (cpuSeconds(innermostProcess(pid)) ?? 0), 0);
    const before = total();
    // CPU time is what has to stay away: there is no event for that.
    await pause(400);
    return total() - before;
  };

  afterEach(async () => {
    await Promise.all(started.splice(0).map((executor) => executor.stop()));
  });

  it('code in a kept process uses no CPU between runs', async () => {
    const tidyMs = 500;
    const executor = await start({ isolation: 'reuse', tidyMs, reuseProcesses: 100 });
    for (const [name, begin] of Object.entries(attempts)) {
      const code = `${target} let runs = 0; export default () => { if (++runs === 1) { ${begin} } return { runs }; }`;
      expect(await run(executor, code), name).toBe('{"runs":1}');
    }
    // Whether a process is kept is up to the executor: by now it is decided.
    await pause(tidyMs * 2);
    expect(executor.waitingProcesses.kept).not.toEqual([]);
    expect(await idleCpu(executor.waitingProcesses.kept)).toBeLessThan(0.05);
  });

  it('code that was loaded ahead uses no CPU before its run', async () => {
    const executor = await start({ primed: 1 });
    // Each takes a second: at the small size, every third.
    const some = Object.entries(attempts).filter((_, index) => isFull || index % 3 === 0);
    for (const [name, begin] of some) {
      const code = `${target} ${begin} export default () => ({});`;
      for (let n = 0; n < 3; n++) expect(await run(executor, code), name).toBe('{}');
      await pause(300);
      expect(await idleCpu(executor.waitingProcesses.primed), name).toBeLessThan(0.05);
    }
  });

  it('a kept process is suspended, and goes on with the next execution', async () => {
    const executor = await start({ isolation: 'reuse' });
    const code = 'let runs = 0; export default () => ({ runs: ++runs })';
    const isStopped = (pid: number): boolean => processFields(innermostProcess(pid))?.[0] === 'T';
    for (const runs of [1, 2]) {
      expect(await run(executor, code)).toBe(`{"runs":${runs}}`);
      await expect.poll(() => executor.waitingProcesses.kept.map(isStopped), patience).toEqual([true]);
    }
  });

  it('a kept process goes on with its next execution', async () => {
    const executor = await start({ isolation: 'reuse' });
    const code = `let runs = 0; export default async () => {
      await new Promise((resolve) => setTimeout(resolve, 5)); console.log('run'); return { runs: ++runs }; }`;
    for (const runs of [1, 2, 3]) {
      expect(await run(executor, code)).toBe(`{"runs":${runs}}`);
      await expect.poll(() => executor.waitingProcesses.kept.length, patience).toBe(1);
    }
  });
});
