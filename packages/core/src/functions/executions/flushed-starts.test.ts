import { expect, it, vi } from 'vitest';
import { OutputEvents } from '../calls/stream-call.ts';
import { context, createFunction, createGround, input } from './fixtures/execution-app.ts';

/** The durability of commits of executions, by the status that they write. */
async function recorded() {
  const ground = createGround();
  const survived: Record<string, string> = {};
  const commit = ground.storage.commit.bind(ground.storage);
  vi.spyOn(ground.storage, 'commit').mockImplementation(async (tenant, writes, options) => {
    for (const write of writes) {
      const status =
        'row' in write && write.insert === 'executions'
          ? write.row.status
          : 'set' in write && 'status' in write.set && write.set.status;
      if (status) survived[String(status)] = options?.survives ?? 'power-loss';
    }
    return await commit(tenant, writes, options);
  });
  const host = await ground.host();
  return { host, id: await createFunction(host), survived };
}

it('the start of a run whose caller waits survives only a crash, and its end a power loss as well', async () => {
  const { host, id, survived } = await recorded();
  const executing = host.app.services.executions.execute(id, input, context);
  (await host.run(1)).complete();
  await executing;
  expect(survived).toEqual({ running: 'crash', completed: 'power-loss' });
  await host.app.host.stop();
});

it('the start of a run whose output is read meanwhile survives a power loss', async () => {
  const { host, id, survived } = await recorded();
  const executing = host.app.services.executions.execute(id, input, context, new OutputEvents());
  (await host.run(1)).complete();
  await executing;
  expect(survived).toEqual({ running: 'power-loss', completed: 'power-loss' });
  await host.app.host.stop();
});

it('the start of a queued run survives a power loss', async () => {
  const { host, id, survived } = await recorded();
  const { id: execution } = await host.app.services.executions.enqueue(id, input, context);
  host.look();
  (await host.run(1)).complete();
  await expect.poll(async () => (await host.app.services.executions.get(execution, context)).status).toBe('completed');
  expect(survived).toEqual({ queued: 'power-loss', running: 'power-loss', completed: 'power-loss' });
  await host.app.host.stop();
});
