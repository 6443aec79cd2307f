import { afterAll, beforeAll, expect, it } from 'vitest';
import type { App } from '../app/app.ts';
import { addFunction, callerContext, createCallingApp } from '../functions/host-calls/fixtures/calling-app.ts';
import { noteStep, openNotes } from './call-records.ts';

let app: App;

beforeAll(async () => {
  app = await createCallingApp({
    ask: async (_, call) => ({ text: JSON.stringify(await call('ai.generate', { prompt: 'Hello' })) }),
    outer: async (_, call) => {
      await call('ai.embed', { text: 'Hello' });
      await call('functions.call', { function: 'broken', input: {} }).catch(() => undefined);
      return { said: await call('functions.call', { function: 'ask', input: {} }) };
    },
    broken: async () => {
      throw new Error('It broke.');
    },
  });
});
afterAll(() => app.host.stop(0));

const range = { from: '2020-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' };

it('usage counts calls made by code for its caller, and under the function that made them', async () => {
  const ask = await addFunction(app, 'ask');
  await app.services.executions.execute(ask, {}, callerContext());
  const { groups } = await app.services.usage.report({ ...range, groupBy: 'function' }, callerContext());
  expect(groups).toMatchObject([{ group: ask, totals: { executions: 1, modelCalls: 1, unpricedCalls: 1 } }]);
  const { groups: keys } = await app.services.usage.report({ ...range, groupBy: 'key' }, callerContext());
  expect(keys).toMatchObject([{ group: callerContext().caller.id, totals: { executions: 1, modelCalls: 1 } }]);
});

it('usage counts the calls of a function without code under that function', async () => {
  const { id } = await app.services.functions.create(
    { name: 'Poem', description: '', input: { type: 'object' }, output: { type: 'object' }, code: '', settings: {} },
    callerContext(),
  );
  // The model repeats its prompt, which is not a poem.
  await app.services.executions.execute(id, {}, callerContext()).catch(() => undefined);
  const { groups } = await app.services.usage.report({ ...range, groupBy: 'function' }, callerContext());
  const { totals } = groups.find(({ group }) => group === id) ?? {};
  expect(totals).toMatchObject({ executions: 1 });
  expect(totals?.modelCalls).toBeGreaterThan(0);
});

it('an execution is recorded as a call, with the calls that its code made', async () => {
  const outer = await addFunction(app, 'outer');
  const broken = await addFunction(app, 'broken');
  const context = callerContext();
  const { id } = await app.services.executions.execute(outer, {}, context);
  const record = await app.services.callRecords.get(id, context);
  expect(record).toMatchObject({
    functionId: outer,
    name: 'outer',
    outcome: 'completed',
    executionId: id,
    parentId: null,
  });
  const [embedded, failed, asked] = record.steps ?? [];
  expect([embedded, failed, asked]).toMatchObject([
    { kind: 'call', name: 'echo/vector' },
    { kind: 'call', name: 'broken', code: 'function_threw' },
    { kind: 'call', name: 'ask' },
  ]);
  const child = async (step: object | undefined) => {
    const { id: of } = step as { readonly id: string };
    return await app.services.callRecords.get(of, context);
  };
  expect(await child(failed)).toMatchObject({
    functionId: broken,
    outcome: 'failed',
    errorCode: 'function_threw',
    parentId: id,
  });
  const ask = await child(asked);
  expect(ask).toMatchObject({ outcome: 'completed', parentId: id, steps: [{ kind: 'call', name: 'echo/talk' }] });
  expect(await child(ask.steps?.[0])).toMatchObject({ model: 'echo/talk', parentId: ask.id, executionId: ask.id });
});

it('keeps a hundred steps of a call, and the number of further ones', async () => {
  const clock = { now: () => 0, monotonic: () => 0 };
  const notes = openNotes(clock);
  for (let index = 0; index < 103; index += 1) noteStep(notes, 0, { kind: 'tool', name: `tool ${index}` });
  expect(notes.steps).toHaveLength(101);
  expect(notes.steps?.slice(-2)).toMatchObject([{ name: 'tool 99' }, { kind: 'omitted', count: 3 }]);
});
