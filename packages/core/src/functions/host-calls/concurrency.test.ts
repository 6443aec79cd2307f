import { definePlugin } from '@patchbay/contracts/define-plugin';
import { afterEach, describe, expect, it } from 'vitest';
import type { App } from '../../app/app.ts';
import { addFunction, type Behaviour, callerContext, createCallingApp } from './fixtures/calling-app.ts';

const apps: App[] = [];
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.host.stop(0)));
});

/** A model whose answers wait for the test, and which counts the calls in progress. */
function createGate() {
  let underWay = 0;
  let most = 0;
  let total = 0;
  let isOpen = false;
  const waiting: (() => void)[] = [];
  const provider = definePlugin({
    name: 'test-gate',
    kind: 'provider',
    version: 1,
    config: { properties: {} },
    create: () => ({
      models: async () => [{ name: 'talk', capabilities: ['chat'], maxTokens: 100 }],
      async chat() {
        underWay += 1;
        total += 1;
        most = Math.max(most, underWay);
        if (!isOpen) await new Promise<void>((resolve) => waiting.push(resolve));
        underWay -= 1;
        const usage = {
          uncachedInputTokens: 1,
          cacheReadTokens: 0,
          cacheWriteTokens: 0,
          outputTokens: 1,
          reasoningTokens: 0,
        };
        return { content: '{}', finishReason: 'stop', usage };
      },
    }),
  });
  return {
    provider,
    counts: () => ({ underWay, most, total }),
    release: () => waiting.shift()?.(),
    open() {
      isOpen = true;
      for (const resolve of waiting.splice(0)) resolve();
    },
  };
}

async function start(
  behaviours: Readonly<Record<string, Behaviour>>,
  concurrent: { readonly model?: number; readonly execute?: number },
) {
  const gate = createGate();
  const app = await createCallingApp(behaviours, {
    providers: { gate: { use: gate.provider } },
    limits: { key: { concurrent } },
  });
  apps.push(app);
  return { app, gate };
}

const ask = { prompt: 'Hello', model: 'gate/talk' };

/** Asks a model eight times at the same time. */
const asksEight: Behaviour = async (_, call) => {
  await Promise.all(Array.from({ length: 8 }, () => call('ai.generate', ask)));
  return { done: true };
};

describe('concurrency limits within functions', () => {
  it('model calls of all executions of a key share its slots, and each gets one', async () => {
    const { app, gate } = await start({ asksEight }, { model: 2 });
    const id = await addFunction(app, 'asksEight');
    const executions = [1, 2].map(() => app.services.executions.execute(id, {}, callerContext()));
    await expect.poll(() => gate.counts().underWay).toBeGreaterThanOrEqual(2);
    for (let total = 2; total < 16; total += 1) {
      await expect.poll(() => gate.counts()).toEqual({ underWay: 2, most: 2, total });
      gate.release();
    }
    gate.open();
    expect((await Promise.all(executions)).map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(gate.counts()).toEqual({ underWay: 0, most: 2, total: 16 });
  });

  it('a request from outside shares the slots, and passes its slot on to the call that waits', async () => {
    const { app, gate } = await start({ asksEight }, { model: 1 });
    const context = callerContext();
    const slot = app.services.limits.enter(context.caller, 'model');
    const execution = app.services.executions.execute(await addFunction(app, 'asksEight'), {}, context);
    await expect.poll(async () => (await app.services.executions.list('running', page, context)).total).toBe(1);
    expect(gate.counts().total).toBe(0);
    slot.leave();
    await expect.poll(() => gate.counts().underWay).toBe(1);
    expect(() => app.services.limits.enter(context.caller, 'model')).toThrow(
      expect.objectContaining({ code: 'concurrency_limited' }),
    );
    gate.open();
    expect((await execution).status).toBe('completed');
    app.services.limits.enter(context.caller, 'model').leave();
  });

  it('a call that waits is cancelled with its execution, and frees its slot', async () => {
    const { app, gate } = await start({ asksEight }, { model: 1 });
    const cancelled = new AbortController();
    const context = callerContext('a', ['*'], cancelled.signal);
    const slot = app.services.limits.enter(context.caller, 'model');
    const execution = app.services.executions
      .execute(await addFunction(app, 'asksEight'), {}, context)
      .catch(() => undefined);
    await expect.poll(async () => (await app.services.executions.list('running', page, context)).total).toBe(1);
    cancelled.abort();
    await execution;
    slot.leave();
    app.services.limits.enter(context.caller, 'model').leave();
    expect(gate.counts().total).toBe(0);
  });

  it('functions that a model implements share the slots for models', async () => {
    const { app, gate } = await start({}, { model: 2 });
    const context = callerContext();
    const object = { type: 'object' } as const;
    const settings = { model: 'gate/talk' };
    const fields = { name: 'Answer', description: '', input: object, output: object, code: '', settings };
    const { id } = await app.services.functions.create(fields, context);
    const executions = Array.from({ length: 5 }, () => app.services.executions.execute(id, {}, context));
    for (let total = 2; total < 5; total += 1) {
      await expect.poll(() => gate.counts()).toEqual({ underWay: 2, most: 2, total });
      gate.release();
    }
    gate.open();
    await Promise.all(executions);
    expect(gate.counts()).toEqual({ underWay: 0, most: 2, total: 5 });
  });

  it('nested executions get by with the slot of their parent, one at a time and eight deep', async () => {
    let underWay = 0;
    let most = 0;
    const { app } = await start(
      {
        fans: async (_, call) => ({
          results: await Promise.all([1, 2, 3].map(() => call('functions.call', { function: 'counts', input: {} }))),
        }),
        counts: async () => {
          underWay += 1;
          most = Math.max(most, underWay);
          await new Promise((resolve) => setImmediate(resolve));
          underWay -= 1;
          return {};
        },
        deep: async ({ depth }, call) => (depth === 8 ? { depth } : await deeper(call, Number(depth))),
      },
      { execute: 1 },
    );
    const deeper = async (call: Parameters<Behaviour>[1], depth: number) =>
      (await call('functions.call', { function: 'deep', input: { depth: depth + 1 } })) as object;
    const context = callerContext();
    await addFunction(app, 'counts');
    const fans = await addFunction(app, 'fans');
    const deep = await addFunction(app, 'deep');
    const slot = app.services.limits.enter(context.caller, 'execute');
    expect((await app.services.executions.execute(fans, {}, context)).output).toEqual({ results: [{}, {}, {}] });
    expect(most).toBe(1);
    expect((await app.services.executions.execute(deep, { depth: 1 }, context)).output).toEqual({ depth: 8 });
    slot.leave();
  });

  it('nested executions take free slots beside that of their parent', async () => {
    let underWay = 0;
    const { promise: all, resolve } = Promise.withResolvers<void>();
    const { app } = await start(
      {
        fans: async (_, call) => ({
          results: await Promise.all([1, 2, 3].map(() => call('functions.call', { function: 'meets', input: {} }))),
        }),
        meets: async () => {
          underWay += 1;
          if (underWay === 3) resolve();
          await all;
          return {};
        },
      },
      { execute: 3 },
    );
    const context = callerContext();
    await addFunction(app, 'meets');
    const fans = await addFunction(app, 'fans');
    const slot = app.services.limits.enter(context.caller, 'execute');
    expect((await app.services.executions.execute(fans, {}, context)).output).toEqual({ results: [{}, {}, {}] });
    slot.leave();
  });
});

const page = { limit: 10, offset: 0, sort: 'createdAt', order: 'asc' } as const;
