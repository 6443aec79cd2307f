import type { ExecutionRow } from '@patchbay/contracts/rows';
import { expect, it, onTestFinished } from 'vitest';
import { context, createFunction, createGround, input } from './fixtures/execution-app.ts';
import { sweepExecutions } from './sweep-executions.ts';

const DAY_MS = 86_400_000;

async function setUp() {
  const ground = createGround();
  const { storage, clock } = ground;
  const host = await ground.host();
  const { app } = host;
  onTestFinished(() => app.host.stop(0));
  const answer = app.services.executions.execute(await createFunction(host), input, context);
  (await host.run(1)).complete();
  const row = await answer;
  const insert = async (id: string, days: number, fields: Partial<ExecutionRow> = {}, tenant = 'acme') => {
    const createdAt = new Date(clock.now() - days * DAY_MS).toISOString();
    const made = { ...row, id, revision: 1, createdAt, ...fields };
    await storage.commit(tenant as typeof context.caller.tenant, [{ insert: 'executions', row: made }]);
  };
  return { storage, clock, row, insert };
}

it('the sweep deletes what ended long ago, for every tenant, and nothing else', async () => {
  const { storage, clock, row, insert } = await setUp();
  for (let index = 0; index < 45; index += 1)
    await insert(`old_${index}`, 31 + index, {}, index % 2 ? 'acme' : 'other');
  // More than are read at once, and all of them older than what is to be deleted.
  const open = Array.from({ length: 120 }, (_, index) => `open_${index}`);
  for (const [index, id] of open.entries()) {
    await insert(id, 90, { status: index % 2 ? 'queued' : 'running' }, index % 3 ? 'acme' : 'other');
  }
  await insert('young', 29, { status: 'failed' });
  expect(await sweepExecutions(storage, clock, 30)).toBe(45);
  const left = await storage.scanAllTenants('executions', {}, 999);
  expect(left.map(({ row: { id } }) => id).toSorted()).toEqual([row.id, ...open, 'young'].toSorted());
  expect(await sweepExecutions(storage, clock, 30)).toBe(0);
});

it('a page of executions that have not ended does not hold up those behind it', async () => {
  const { storage, clock, insert } = await setUp();
  for (let index = 0; index < 250; index += 1) await insert(`open_${index}`, 90, { status: 'queued' });
  await insert('old', 31);
  expect(await sweepExecutions(storage, clock, 30)).toBe(1);
});

it('tenants beyond those that are read at once are swept as well', async () => {
  const { storage, clock, insert } = await setUp();
  for (let index = 0; index < 45; index += 1) {
    await insert(`open_${index}`, 90, { status: 'running' }, `tenant_${index}`);
    await insert(`old_${index}`, 31, {}, `tenant_${index}`);
  }
  expect(await sweepExecutions(storage, clock, 30)).toBe(45);
});
