import { type HostCalls, PatchbayError } from '@patchbay/core/plugin';
import { testContext } from '@patchbay/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DenoExecutor } from './deno-executor.ts';
import { executorOptions, silent } from './fixtures/executor-options.ts';
import { hostServing, outputOf, type RunWithHost, runWithHost } from './fixtures/run-with-host.ts';

describe('calls of the host', () => {
  let executor: DenoExecutor;
  beforeAll(async () => {
    executor = new DenoExecutor({ ...executorOptions, spares: 1, maxConcurrent: 2, queueTimeoutMs: 20_000 }, silent);
    await executor.start(AbortSignal.timeout(60_000));
  });
  afterAll(() => executor.stop());

  const run = (code: string, options?: RunWithHost) => runWithHost(executor, code, options);

  it('sends a call with its name and arguments, and hands its result to the code', async () => {
    const seen: unknown[] = [];
    const host = hostServing(async (name, given) => {
      seen.push([name, JSON.parse(given)]);
      return JSON.stringify({ from: name, size: given.length });
    });
    const outcome = await run(
      `export default async (input, { ai, functions, tools }) => ({
        generate: await ai.generate({ prompt: 'ü' }),
        chat: await ai.chat({ messages: [] }),
        embed: await ai.embed({ text: '' }),
        call: await ai.call({ functions: [] }),
        named: await functions['Summarize Text']({ a: 1 }),
        plain: await functions.call('function_2'),
        found: await tools.docs['search.all']({ query: 'b' }),
        listed: await tools.docs.list(),
      })`,
      { host },
    );
    expect(seen).toEqual([
      ['ai.generate', { prompt: 'ü' }],
      ['ai.chat', { messages: [] }],
      ['ai.embed', { text: '' }],
      ['ai.call', { functions: [] }],
      ['functions.call', { function: 'Summarize Text', input: { a: 1 } }],
      ['functions.call', { function: 'function_2', input: {} }],
      ['tools.call', { server: 'docs', tool: 'search.all', input: { query: 'b' } }],
      ['tools.call', { server: 'docs', tool: 'list', input: {} }],
    ]);
    expect(outputOf(outcome)).toMatchObject({ generate: { from: 'ai.generate' }, plain: { from: 'functions.call' } });
  });

  it('concurrent calls get their own results', async () => {
    const eight = Promise.withResolvers<void>();
    let made = 0;
    const host = hostServing(async (_, given) => {
      made++;
      if (made === 8) eight.resolve();
      await eight.promise;
      const { text } = JSON.parse(given);
      // The later ones first.
      for (let turn = 0; turn < 20 - text; turn++) await new Promise(setImmediate);
      return JSON.stringify({ text });
    });
    const outcome = await run(
      `export default async (_, { ai }) => ({
        texts: await Promise.all(Array.from({ length: 20 }, async (_, text) => (await ai.embed({ text })).text)),
      })`,
      { host },
    );
    expect(outputOf(outcome)).toEqual({ texts: Array.from({ length: 20 }, (_, text) => text) });
  });

  it('an output that arrives while the host is paused beyond the time limit counts', async () => {
    const host = hostServing(async () => {
      // The result is sent in this turn of the event loop, and the code ends while nothing runs here.
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_500));
      return '{}';
    });
    const code = 'export default async (_, { ai }) => { await ai.embed({}); return { done: true }; }';
    expect(outputOf(await run(code, { host, wallMs: 3_000 }))).toEqual({ done: true });
  });

  it('a process whose output arrived during a pause of the host serves the next run', async () => {
    const reusing = new DenoExecutor(
      { ...executorOptions, isolation: 'reuse', maxConcurrent: 1, queueTimeoutMs: 60_000 },
      silent,
    );
    await reusing.start(AbortSignal.timeout(60_000));
    try {
      let calls = 0;
      const host = hostServing(async () => {
        calls += 1;
        if (calls === 1) setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_500));
        return '{}';
      });
      const code = 'let runs = 0; export default async (_, { ai }) => { await ai.embed({}); return { runs: ++runs }; }';
      const outputs = await Promise.all([1, 2].map(() => runWithHost(reusing, code, { host, wallMs: 3_000 })));
      expect(outputs.map(outputOf)).toEqual([{ runs: 1 }, { runs: 2 }]);
    } finally {
      await reusing.stop();
    }
  });

  it('a refused call throws an error with a code, at the line of the call', async () => {
    const errors = [{ pointer: '/prompt', code: 'required', detail: 'is required' }];
    const host = hostServing(async (name) => {
      if (name === 'ai.chat') throw new Error('secret of the host');
      throw new PatchbayError('insufficient_scope', 'no such right', { errors, cause: new Error('secret') });
    });
    const caught = await run(
      `export default async (_, { ai }) => {
        const show = (e) => ({ is: e instanceof Error, message: e.message, ...e });
        return { known: await ai.generate({}).catch(show), unknown: await ai.chat({}).catch(show) };
      }`,
      { host },
    );
    expect(outputOf(caught)).toEqual({
      known: { is: true, message: 'no such right', code: 'insufficient_scope', retryable: false, errors },
      unknown: { is: true, message: 'The call failed', code: 'internal_error', retryable: false, errors: [] },
    });
    const thrown = await run('export default async (_, { ai }) => {\n  await ai.generate({});\n}', { host });
    expect(outputOf(thrown)).toMatchObject({
      reason: 'function_threw',
      message: 'no such right',
      stack: expect.stringContaining('function.js:2:12'),
    });
  });

  it('calls without a host are refused', async () => {
    const outcome = await run(
      'export default async (_, { ai }) => ({ code: (await ai.embed({}).catch((e) => e)).code })',
    );
    expect(outputOf(outcome)).toEqual({ code: 'invalid_request' });
  });

  it('arguments that are too large are not sent', async () => {
    const host = hostServing(async (_, given) => JSON.stringify({ size: given.length }));
    const outcome = await run(
      `export default async (_, { ai }) => {
        const sizes = [];
        for (const size of [4_000_000, 5_000_000]) {
          sizes.push(await ai.embed({ text: 'x'.repeat(size) }).then(({ size }) => size, ({ code }) => code));
        }
        return { sizes };
      }`,
      { host },
    );
    expect(outputOf(outcome)).toEqual({ sizes: [4_000_011, 'invalid_request'] });
  });

  it('too many calls end the run', async () => {
    const host = hostServing(async () => '{}', { maxCalls: 3 });
    const outcome = await run('export default async (_, { ai }) => { for (;;) await ai.embed({}).catch(() => {}); }', {
      host,
    });
    expect(outcome).toMatchObject({ status: 'failed', error: { reason: 'call_limit' } });
    const exact = await run(
      'export default async (_, { ai }) => { for (let i = 0; i < 3; i++) await ai.embed({}); return {}; }',
      {
        host,
      },
    );
    expect(exact.status).toBe('completed');
  });

  it('a run that can never settle is found at once, also after calls', async () => {
    const host = hostServing(async () => '{}');
    const outcome = await run(
      'export default async (_, { ai }) => { await ai.embed({}); await new Promise(() => {}); }',
      {
        host,
      },
    );
    expect(outcome).toMatchObject({ error: { reason: 'never_settled' } });
    expect(outcome.durationMs).toBeLessThan(9_000);
  });

  it('calls end with the run, however it ends', async () => {
    const ends: [string, string][] = [
      ['wall_limit', 'await call'],
      ['completed', 'return {}'],
      ['function_threw', 'throw new Error("no")'],
    ];
    for (const [reason, end] of ends) {
      const aborted = Promise.withResolvers<void>();
      const host = hostServing(async (_, __, signal) => {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        aborted.resolve();
        return '{}';
      });
      const outcome = await run(`export default async (_, { ai }) => { const call = ai.embed({}); ${end}; }`, {
        host,
        // Long enough for the call to be made on a busy machine.
        wallMs: reason === 'wall_limit' ? 3_000 : 60_000,
      });
      expect(outcome.status === 'completed' ? 'completed' : outcome.error.reason).toBe(reason);
      await aborted.promise;
    }
  });

  it('a call that the code aborts ends, and the run goes on', async () => {
    let aborts = 0;
    const host = hostServing(async (_, given, signal) => {
      if (JSON.parse(given).text === 'slow') {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        aborts++;
      }
      return given;
    });
    const outcome = await run(
      `export default async (_, { ai }) => {
        const patience = new AbortController();
        const slow = ai.embed({ text: 'slow' }, { signal: patience.signal }).catch((reason) => reason);
        await ai.embed({ text: 'quick' });
        patience.abort('enough');
        const none = await ai.embed({ text: 'never sent' }, { signal: AbortSignal.abort('before') }).catch((e) => e);
        return { slow: await slow, none, last: await ai.embed({ text: 'last' }) };
      }`,
      { host },
    );
    expect(outputOf(outcome)).toEqual({ slow: 'enough', none: 'before', last: { text: 'last' } });
    expect(aborts).toBe(1);
  });

  // A busy machine may leave the process without a turn in the 250 ms between the signal and the limit.
  it('the signal aborts shortly before the time limit', { retry: 4 }, async () => {
    const outcome = await run(
      `export default async (_, { signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return { name: signal.reason.name };
      }`,
      { wallMs: 3_000 },
    );
    expect(outputOf(outcome)).toEqual({ name: 'TimeoutError' });
  });

  it('nested runs use the place of the run that waits for them', async () => {
    // All of the places are taken by runs that wait for others, three deep.
    const nest = (depth: number, id: string): HostCalls =>
      hostServing(async (_, given) => {
        const { input } = JSON.parse(given) as { input: { index: number } };
        const name = `${id}_${input.index}`;
        const context = { ...testContext(), execution: { id, functionId: 'function_1', depth } };
        const inner = depth < 3 ? { host: nest(depth + 1, name) } : {};
        const code = depth < 3 ? twice : 'export default () => ({ leaves: 1 })';
        return JSON.stringify(outputOf(await run(code, { ...inner, id: name, context })));
      });
    const twice = `export default async (_, { functions }) => {
      const [a, b] = await Promise.all([0, 1].map((index) => functions.next({ index })));
      return { leaves: a.leaves + b.leaves };
    }`;
    const outcomes = await Promise.all(
      ['a', 'b', 'c'].map((name) => run(twice, { id: name, host: nest(1, name), wallMs: 60_000 })),
    );
    expect(outcomes.map(outputOf)).toEqual([{ leaves: 8 }, { leaves: 8 }, { leaves: 8 }]);
  });
});
