import { afterAll, beforeAll, expect, it } from 'vitest';
import type { App } from '../app/app.ts';
import { addFunction, callerContext, createCallingApp } from '../functions/host-calls/fixtures/calling-app.ts';

let app: App;

beforeAll(async () => {
  app = await createCallingApp({
    ask: async (_, call) => ({ text: JSON.stringify(await call('ai.generate', { prompt: 'Hello' })) }),
  });
});
afterAll(() => app.stop(0));

it('counts what code calls for its caller, and under the function that called', async () => {
  const ask = await addFunction(app, 'ask');
  await app.executions.execute(ask, {}, callerContext());
  const range = { from: '2020-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' };
  const { groups } = await app.usage.report({ ...range, groupBy: 'function' }, callerContext());
  expect(groups).toMatchObject([{ group: ask, totals: { executions: 1, modelCalls: 1, unpricedCalls: 1 } }]);
  const { groups: keys } = await app.usage.report({ ...range, groupBy: 'key' }, callerContext());
  expect(keys).toMatchObject([{ group: callerContext().caller.id, totals: { executions: 1, modelCalls: 1 } }]);
});
