import { PatchbayError } from '@patchbay/contracts/errors';
import { afterEach, describe, expect, it } from 'vitest';
import type { App } from '../../app/app.ts';
import { addFunction, type Behaviour, callerContext, createCallingApp } from './fixtures/calling-app.ts';

const apps: App[] = [];
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.host.stop(0)));
});

async function start(behaviours: Readonly<Record<string, Behaviour>>, config = {}): Promise<App> {
  const app = await createCallingApp(behaviours, config);
  apps.push(app);
  return app;
}

/** Waits until the run is ended, as code that does nothing would. */
const hang: Behaviour = async (_, __, { context: { signal } }) => {
  await new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', resolve);
  });
  throw signal.reason;
};

/** The failure of a call as a behaviour sees it. */
async function codeOf(call: Promise<unknown>): Promise<object> {
  return await call.then(
    (value) => ({ value }),
    (error: unknown) => (PatchbayError.is(error) ? { code: error.code, errors: error.errors } : { error }),
  );
}

describe('calls of models', () => {
  const conversation = [{ role: 'user', content: 'Hello' }];

  it.each([
    ['{"a":', 'invalid_json'],
    ['{"maxTokens":1e999}', 'invalid_json'],
    ['[[-1e999]]', 'invalid_json'],
    ['"\\u0000"', 'unsupported_unicode'],
    ['['.repeat(65) + ']'.repeat(65), 'too_deep'],
    [`[${'1,'.repeat(100_000)}1]`, 'too_deep'],
    // Within the limits: it is refused for its content.
    [`${'['.repeat(64)}1e308${']'.repeat(64)}`, 'invalid_request'],
  ])('refuse arguments as they would a request body: %.20s', async (text, code) => {
    const app = await start({
      ask: async (_, __, { host, context: { signal } }) => await codeOf(host.call('ai.generate', text, signal)),
    });
    const { output } = await app.services.executions.execute(await addFunction(app, 'ask'), {}, callerContext());
    expect(output).toMatchObject({ code });
  });

  it('return what the endpoints return', async () => {
    const app = await start({
      ask: async (_, call) => ({
        generate: await call('ai.generate', { prompt: 'Hello', model: 'echo/talk' }),
        chat: await call('ai.chat', { messages: conversation }),
        embed: await call('ai.embed', { text: 'four' }),
        call: await call('ai.call', {
          messages: conversation,
          functions: [{ name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } }],
        }),
      }),
    });
    const { output } = await app.services.executions.execute(await addFunction(app, 'ask'), {}, callerContext());
    expect(output).toMatchObject({
      generate: { text: '"Hello"', model: 'echo/talk', totalTokens: 2, id: expect.stringMatching(/^generation_/u) },
      chat: { message: { role: 'assistant', content: '"Hello"' }, finishReason: 'stop' },
      embed: { embedding: [4, 0.5], model: 'echo/vector', tokens: 1 },
      call: { functionCall: { name: 'weather', arguments: { city: 'Rome' } } },
    });
    expect(output?.['generate']).not.toHaveProperty('route');
    expect(output?.['generate']).not.toHaveProperty('warnings');
  });

  it('reject an invalid request with its pointer', async () => {
    const wrong: readonly (readonly [string, unknown])[] = [
      ['ai.generate', {}],
      ['ai.generate', { prompt: 'x', max_tokens: 1 }],
      ['ai.generate', 'x'],
      ['ai.chat', { messages: [{ role: 'user', content: [{ type: 'image' }] }] }],
      ['ai.embed', { text: 1 }],
      ['ai.call', { messages: conversation, functions: ['a', 'a'].map((name) => ({ name, parameters: {} })) }],
      ['ai.generate', { prompt: 'a\0b' }],
      ['ai.other', {}],
    ];
    const app = await start({
      ask: async (_, call) => ({
        answers: await Promise.all(wrong.map(([name, given]) => codeOf(call(name, given)))),
      }),
    });
    const { output } = await app.services.executions.execute(await addFunction(app, 'ask'), {}, callerContext());
    expect(output?.['answers']).toMatchObject([
      { code: 'invalid_request', errors: [{ pointer: '/prompt', code: 'required' }] },
      { code: 'invalid_request', errors: [{ pointer: '/max_tokens' }] },
      { code: 'invalid_request', errors: [{ pointer: '' }] },
      { code: 'invalid_request', errors: [{ pointer: '/messages/0/content/0' }] },
      { code: 'invalid_request', errors: [{ pointer: '/text' }] },
      { code: 'invalid_request', errors: [{ pointer: '/functions/1/name' }] },
      { code: 'unsupported_unicode' },
      { code: 'invalid_request' },
    ]);
  });

  it('require the scopes of the caller', async () => {
    const app = await start({
      ask: async (_, call) => ({
        generate: await codeOf(call('ai.generate', { prompt: 'x' })),
        run: await codeOf(call('functions.call', { function: 'ask', input: {} })),
      }),
    });
    const id = await addFunction(app, 'ask');
    const { output } = await app.services.executions.execute(id, {}, callerContext('a', ['models:read']));
    expect(output).toMatchObject({ generate: { code: 'insufficient_scope' }, run: { code: 'insufficient_scope' } });
  });
});

describe('the limits of a caller', () => {
  it('count calls by its functions as its own', async () => {
    const app = await start(
      {
        ask: async (_, call) => ({
          models: await Promise.all(['a', 'b', 'c', 'd'].map((text) => codeOf(call('ai.embed', { text })))),
        }),
      },
      { limits: { key: { model: { requests: 1, seconds: 60, burst: 3 } } } },
    );
    const { output } = await app.services.executions.execute(await addFunction(app, 'ask'), {}, callerContext());
    const models = output?.['models'] as readonly { readonly code?: string }[];
    expect(models.map(({ code = 'answered' }) => code).toSorted()).toEqual([
      'answered',
      'answered',
      'answered',
      'rate_limited',
    ]);
  });
});

describe('calls of functions', () => {
  it('run a function by its name or id, and record it', async () => {
    const app = await start({
      outer: async ({ other }, call) => ({ got: await call('functions.call', { function: other, input: { n: 1 } }) }),
      inner: async ({ n }) => ({ n }),
    });
    const outer = await addFunction(app, 'outer');
    const inner = await addFunction(app, 'An inner one', 'inner');
    await addFunction(app, 'An inner one, and more', 'inner');
    for (const other of [inner, 'An inner one']) {
      expect(await app.services.executions.execute(outer, { other }, callerContext())).toMatchObject({
        output: { got: { n: 1 } },
      });
    }
    const page = { limit: 10, offset: 0, sort: 'createdAt', order: 'asc' } as const;
    const { rows } = await app.services.executions.listForFunction(inner, page, callerContext());
    expect(rows.map(({ status }) => status)).toEqual(['completed', 'completed']);
  });

  it('fail for a function that is missing, ambiguous or of another tenant', async () => {
    const app = await start({
      outer: async ({ names }, call) => ({
        answers: await Promise.all(
          (names as string[]).map((name) => codeOf(call('functions.call', { function: name, input: {} }))),
        ),
      }),
    });
    const outer = await addFunction(app, 'outer');
    await addFunction(app, 'twin');
    await addFunction(app, 'twin');
    const foreign = await addFunction(app, 'foreign', 'outer', 'b');
    const names = ['missing', 'twin', 'foreign', foreign, 'x'.repeat(300), ''];
    const { output } = await app.services.executions.execute(outer, { names }, callerContext());
    const missing = { code: 'function_not_found' };
    expect(output?.['answers']).toMatchObject([
      missing,
      { code: 'ambiguous_function_name' },
      missing,
      missing,
      missing,
      missing,
    ]);
  });

  it('check the input of the called function, and pass its failure on', async () => {
    const app = await start({
      outer: async ({ input }, call) => await codeOf(call('functions.call', { function: 'inner', input })),
      inner: async () => {
        throw new TypeError('no luck');
      },
    });
    const outer = await addFunction(app, 'outer');
    await addFunction(app, 'inner');
    const run = async (input: string | object) =>
      (await app.services.executions.execute(outer, { input: input as never }, callerContext())).output;
    expect(await run({})).toMatchObject({ code: 'function_failed' });
    expect(await run('text')).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/input' }] });
  });

  it('nest eight deep, and no deeper', async () => {
    const depths: number[] = [];
    const app = await start({
      down: async (_, call, { context }) => {
        depths.push((context.execution?.depth ?? 0) + 1);
        return await codeOf(call('functions.call', { function: 'down', input: {} }));
      },
    });
    const id = await addFunction(app, 'down');
    let { output } = await app.services.executions.execute(id, {}, callerContext());
    expect(depths).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    for (let level = 1; level < 8; level++) output = output?.['value'] as typeof output;
    expect(output).toMatchObject({ code: 'call_depth_exceeded' });
  });
});

describe('the end of a run', () => {
  it('ends the runs that it waits for when its caller leaves', async () => {
    const waiting = Promise.withResolvers<void>();
    const app = await start({
      outer: async (_, call) => ({ got: await call('functions.call', { function: 'inner', input: {} }) }),
      inner: async (...given) => {
        waiting.resolve();
        return await hang(...given);
      },
    });
    const outer = await addFunction(app, 'outer');
    const inner = await addFunction(app, 'inner');
    const leaving = new AbortController();
    const running = app.services.executions.execute(outer, {}, callerContext('a', ['*'], leaving.signal));
    await waiting.promise;
    leaving.abort();
    await expect(running).rejects.toMatchObject({ code: 'client_closed_request' });
    const page = { limit: 10, offset: 0, sort: 'createdAt', order: 'asc' } as const;
    for (const id of [outer, inner]) {
      const { rows } = await app.services.executions.listForFunction(id, page, callerContext());
      expect(rows).toMatchObject([{ status: 'cancelled' }]);
    }
  });

  it('ends calls it did not wait for, before it is recorded itself', async () => {
    const app = await start({
      outer: async (_, call) => {
        void call('functions.call', { function: 'inner', input: {} }).catch(() => undefined);
        return {};
      },
      inner: hang,
    });
    const outer = await addFunction(app, 'outer');
    const inner = await addFunction(app, 'inner');
    await app.services.executions.execute(outer, {}, callerContext());
    const page = { limit: 10, offset: 0, sort: 'createdAt', order: 'asc' } as const;
    const { rows } = await app.services.executions.listForFunction(inner, page, callerContext());
    expect(rows.every(({ status }) => status === 'cancelled')).toBe(true);
  });

  it('refuses any further calls', async () => {
    const late = Promise.withResolvers<(name: string, given: unknown) => Promise<unknown>>();
    const app = await start({
      outer: async (_, call) => {
        late.resolve(call);
        return {};
      },
    });
    await app.services.executions.execute(await addFunction(app, 'outer'), {}, callerContext());
    const call = await late.promise;
    expect(await codeOf(call('ai.generate', { prompt: 'x' }))).toMatchObject({ code: 'client_closed_request' });
  });

  it('ends a call that the code aborts', async () => {
    const app = await start({
      outer: async (_, call) => {
        const patience = new AbortController();
        const called = codeOf(call('functions.call', { function: 'inner', input: {} }, patience.signal));
        patience.abort();
        return await called;
      },
      inner: hang,
    });
    const outer = await addFunction(app, 'outer');
    await addFunction(app, 'inner');
    const { output } = await app.services.executions.execute(outer, {}, callerContext());
    expect(output).toMatchObject({ code: 'client_closed_request' });
  });
});
