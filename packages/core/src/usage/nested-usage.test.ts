import { afterAll, beforeAll, expect, it } from 'vitest';
import type { App } from '../app/app.ts';
import { addFunction, callerContext, createCallingApp } from '../functions/host-calls/fixtures/calling-app.ts';

let app: App;

beforeAll(async () => {
  app = await createCallingApp({
    ask: async (_, call) => ({ text: JSON.stringify(await call('ai.generate', { prompt: 'Hello' })) }),
  });
});
afterAll(() => app.host.stop(0));

const range = { from: '2020-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' };

it('counts what code calls for its caller, and under the function that called', async () => {
  const ask = await addFunction(app, 'ask');
  await app.services.executions.execute(ask, {}, callerContext());
  const { groups } = await app.services.usage.report({ ...range, groupBy: 'function' }, callerContext());
  expect(groups).toMatchObject([{ group: ask, totals: { executions: 1, modelCalls: 1, unpricedCalls: 1 } }]);
  const { groups: keys } = await app.services.usage.report({ ...range, groupBy: 'key' }, callerContext());
  expect(keys).toMatchObject([{ group: callerContext().caller.id, totals: { executions: 1, modelCalls: 1 } }]);
});

it('counts the calls of a function without code under that function', async () => {
  const { id } = await app.services.functions.create(
    { name: 'Poem', description: '', input: { type: 'object' }, output: { type: 'object' }, code: '', settings: {} },
    callerContext(),
  );
  // The model repeats its prompt, which is no poem.
  await app.services.executions.execute(id, {}, callerContext()).catch(() => undefined);
  const { groups } = await app.services.usage.report({ ...range, groupBy: 'function' }, callerContext());
  const { totals } = groups.find(({ group }) => group === id) ?? {};
  expect(totals).toMatchObject({ executions: 1 });
  expect(totals?.modelCalls).toBeGreaterThan(0);
});
