import { readFileSync } from 'node:fs';
import type { HostCalls } from '@patchbay/core/plugin';
import { testContext } from '@patchbay/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DenoExecutor } from './deno-executor.ts';
import { childIds } from './fixtures/child-ids.ts';
import { executorOptions, silent } from './fixtures/executor-options.ts';

const MB = 1024 * 1024;
const endlessWasm = '[0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,5,1,1,102,0,0,10,9,1,7,0,3,64,12,0,11,11]';

const isFullSize = process.env['PATCHBAY_TEST_SIZE'] === 'full';

const memoryBombs: Readonly<Record<string, string>> = {
  'the heap': '() => { const kept = []; for (;;) kept.push(new Array(1e5).fill(0.5)); }',
  'array buffers': '() => { const kept = []; for (;;) kept.push(new Uint8Array(1e7).fill(1)); }',
  'memory of WebAssembly':
    '() => { const memory = new WebAssembly.Memory({ initial: 1, maximum: 65536 }); for (;;) { memory.grow(160); new Uint8Array(memory.buffer).fill(1); } }',
  'a gzip bomb': `async () => {
    const zeros = new Uint8Array(1e6);
    const source = new ReadableStream({ pull(controller) { controller.enqueue(zeros); } });
    const zipped = source.pipeThrough(new CompressionStream('gzip')).pipeThrough(new DecompressionStream('gzip'));
    const kept = [];
    for await (const chunk of zipped) kept.push(chunk);
  }`,
  'doubled strings': `() => { const kept = []; for (;;) { let s = 'ab'.repeat(1e7) + kept.length; s.charCodeAt(5); kept.push(JSON.stringify(s)); } }`,
  ...(isFullSize && {
    // Small objects take the collector of garbage several seconds until it gives up.
    'the heap, by small objects':
      '() => { const kept = []; for (;;) kept.push(new Array(1000).fill(0).map((_, i) => ({ i }))); }',
    // Outside of the heap, whatever it is for: one limit of the system holds them all.
    'shared array buffers':
      '() => { const kept = []; for (;;) kept.push(new Uint8Array(new SharedArrayBuffer(1e7)).fill(1)); }',
    'a growing buffer':
      '() => { const b = new ArrayBuffer(1, { maxByteLength: 4e9 }); for (let n = 1e7; ; n += 1e7) { b.resize(n); new Uint8Array(b).fill(1); } }',
    blobs: '() => { const kept = []; for (;;) kept.push(new Blob([new Uint8Array(1e7).fill(1)])); }',
  }),
};

/** A RangeError where the code can see it, else the end of the process. */
const refused = {
  status: 'failed',
  error: { message: expect.stringMatching(/^RangeError: .*(?:alloc|memory)|^The function used more memory/u) },
};

const cpuBombs: Readonly<Record<string, string>> = {
  'a loop while it is loaded': 'for (;;) {}\nfunction run() {}',
  // Long runs get what CPU is left over, so each kind takes its time; `jail.test.ts` has the plain loop.
  ...(isFullSize && {
    'a loop of timers':
      '() => new Promise(() => { const spin = () => { for (let n = 0; n < 1e7; n++); setTimeout(spin); }; spin(); })',
    WebAssembly: `() => { new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(${endlessWasm}))).exports.f(); }`,
    'a loop': '() => { for (;;) {} }',
    'a regular expression': '() => /^(a+)+$/.test("a".repeat(60) + "b")',
  }),
};

// A second of CPU can take a minute, where others want the cores as well.
const wallMs = 100_000;

describe.runIf(process.platform === 'linux')('limits', { timeout: 120_000 }, () => {
  const options = { ...executorOptions, memoryMb: 64, offHeapMb: 96, spares: 1 };
  // Bombs of memory take CPU as well, and those of CPU would only take longer with more of it.
  const roomy = new DenoExecutor({ ...options, cpuSeconds: 60 }, silent);
  const executor = new DenoExecutor({ ...options, cpuSeconds: 1 }, silent);
  const run = async (code: string, by = executor, host?: HostCalls, memoryMb?: number) => {
    const { artifact } = await by.prepare({ input: {}, output: {}, code }, testContext());
    const identity = { executionId: 'execution_test', functionId: 'function_test', functionVersion: 1 };
    const limits = { wallMs, outputBytes: 10_000, logBytes: 1000, ...(memoryMb && { memoryMb }) };
    return await by.execute({ ...identity, artifact, input: '{}', limits, ...(host && { host }) }, testContext());
  };

  beforeAll(async () => {
    await Promise.all([roomy, executor].map((each) => each.start(AbortSignal.timeout(60_000))));
  });
  afterAll(async () => {
    await Promise.all([roomy, executor].map((each) => each.stop()));
  });

  it.each(Object.entries(memoryBombs))('memory: %s', async (_, code) => {
    let peak = 0;
    let polls = 0;
    let pids: readonly number[] = [];
    const timer = setInterval(() => {
      // Finding the processes reads those of the whole machine.
      if (pids.length === 0 || polls % 5 === 0) pids = childIds();
      polls += 1;
      for (const pid of pids) peak = Math.max(peak, peakBytes(pid));
    }, 50);
    const [outcome, other] = await Promise.all([run(code, roomy), run('() => ({ alive: true })', roomy)]);
    clearInterval(timer);
    expect(outcome).toMatchObject(refused);
    expect(peak).toBeGreaterThan(0);
    expect(peak).toBeLessThan(300 * MB);
    expect(other).toMatchObject({ status: 'completed' });
  });

  it.each(Object.entries(cpuBombs))('CPU: %s', async (_, code) => {
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<string>();
    const call = () => {
      asked.resolve();
      return answered.promise;
    };
    const other = run("(_, { functions }) => functions.call('a')", executor, { maxCalls: 1, secrets: {}, call });
    await Promise.race([asked.promise, other]);
    const outcome = await run(code);
    answered.resolve('{"waited":true}');
    expect(outcome).toMatchObject({ status: 'timed_out', error: { reason: 'cpu_limit' } });
    // It waited for longer than its second of CPU.
    expect(await other).toMatchObject({ status: 'completed', output: '{"waited":true}' });
  });

  it('limits leave a function what it needs', async () => {
    const code = `() => ({ sum: new Uint8Array(8e7).fill(1).length + new Array(1e6).fill(1).length })`;
    expect(await run(code, roomy)).toMatchObject({ status: 'completed', output: '{"sum":81000000}' });
  });

  describe.each(['fresh', 'reuse', 'cold'] as const)('memory of a single run, with %s processes,', (isolation) => {
    const single = new DenoExecutor({ ...options, isolation, cpuSeconds: 60 }, silent);
    beforeAll(() => single.start(AbortSignal.timeout(60_000)));
    afterAll(() => single.stop());
    const take = (megabytes: number) =>
      `() => { const kept = []; for (let n = 0; n < ${megabytes}; n++) kept.push(new Uint8Array(1e6).fill(1)); return { kept: kept.length }; }`;

    it('is lower than that of others', async () => {
      expect(await run(take(70), single, undefined, 32)).toMatchObject(refused);
      expect(await run(take(70), single)).toMatchObject({ status: 'completed', output: '{"kept":70}' });
      expect(await run(take(10), single, undefined, 32)).toMatchObject({ status: 'completed', output: '{"kept":10}' });
    });

    it('ends it where its heap grows beyond', async () => {
      const outcome = await run(memoryBombs['the heap'] as string, single, undefined, 32);
      expect(outcome).toMatchObject({ status: 'failed', error: { reason: 'memory_limit' } });
    });

    it('suffices for a function at its least, and is never more than that of all runs', async () => {
      expect(await run('() => ({ least: true })', single, undefined, 16)).toMatchObject({ status: 'completed' });
      const outcome = await run(memoryBombs['array buffers'] as string, single, undefined, 8_192);
      expect(outcome).toMatchObject(refused);
    });
  });

  it('limits are those of the kernel', async () => {
    await expect.poll(() => executor.waitingProcesses.all.length).toBe(1);
    await expect.poll(async () => (await executor.health()).detail).toMatch(/1 spare/u);
    const limits = readFileSync(`/proc/${executor.waitingProcesses.all[0]}/limits`, 'latin1');
    expect(limits).toMatch(/^Max cpu time +1 +1 +seconds/mu);
    expect(limits).toMatch(/^Max core file size +0 +0 /mu);
    expect(limits).toMatch(/^Max file size +0 +0 /mu);
    expect(limits).toMatch(/^Max open files +64 +64 /mu);
    expect(limits).toMatch(/^Max data size +\d+ +\d+ +bytes/mu);
  });
});

function peakBytes(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
