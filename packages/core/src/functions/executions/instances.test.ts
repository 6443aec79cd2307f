import { PatchbayError } from '@patchbay/contracts/errors';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { contextOf } from '../fixtures/function-parts.ts';
import { context, createFunction, createGround, type Ground, type Host, input } from './fixtures/execution-app.ts';

// Several servers on one storage. Their periodic work runs when a test says so.

const hosts: Host[] = [];

// The default of `executions.leaseMs`.
const LEASE_MS = 15_000;

async function start(ground: Ground, ...given: Parameters<Ground['host']>): Promise<Host> {
  const host = await ground.host(...given);
  hosts.push(host);
  return host;
}

async function setUp(...given: Parameters<Ground['host']>) {
  const ground = createGround();
  const host = await start(ground, ...given);
  return { ground, host, id: await createFunction(host) };
}

const read = async ({ app }: Host, id: string) => await app.services.executions.get(id, context);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});

afterEach(async () => {
  for (const { app } of hosts.splice(0)) await app.host.stop(0);
  vi.useRealTimers();
});

describe('two servers on one storage', () => {
  it("leave each other's executions alone", async () => {
    const { ground, host, id } = await setUp();
    const answer = host.app.services.executions.execute(id, input, context);
    const run = await host.run(1);
    const second = await start(ground);
    expect((await read(second, run.job.executionId)).status).toBe('running');
    ground.clock.advance(LEASE_MS - 1);
    await vi.advanceTimersByTimeAsync(5_000);
    ground.clock.advance(LEASE_MS - 1);
    await vi.advanceTimersByTimeAsync(5_000);
    expect((await read(second, run.job.executionId)).status).toBe('running');
    run.complete();
    expect(await answer).toMatchObject({ status: 'completed' });
  });

  it('close the executions of a server whose lease expired, whose late results then change nothing', async () => {
    const { ground, host, id } = await setUp();
    const answer = host.app.services.executions.execute(id, input, context).catch((error: unknown) => error);
    const run = await host.run(1);
    ground.clock.advance(LEASE_MS + 3_000);
    const second = await start(ground);
    const closed = await read(second, run.job.executionId);
    expect(closed).toMatchObject({ status: 'interrupted', owner: null, error: { code: 'interrupted' } });
    run.complete();
    expect(await answer).toMatchObject({
      code: 'executor_unavailable',
      extensions: { execution: { status: 'interrupted' } },
    });
    expect(await read(second, run.job.executionId)).toEqual(closed);
  });

  it('abort runs that were closed elsewhere, and then carry on', async () => {
    const { ground, host, id } = await setUp();
    void host.app.services.executions.execute(id, input, context).catch(() => undefined);
    const run = await host.run(1);
    ground.clock.advance(LEASE_MS + 3_000);
    await start(ground);
    expect(run.context.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(run.context.signal.aborted).toBe(true);
    // It has renewed its lease, so what it starts now is its own.
    const answer = host.app.services.executions.execute(id, input, context);
    const next = await host.run(2);
    await start(ground);
    next.complete();
    expect(await answer).toMatchObject({ status: 'completed' });
  });

  it('leave an execution alone whose start the storage is slow to commit', async () => {
    const { ground, host, id } = await setUp();
    const commit = ground.storage.commit.bind(ground.storage);
    const [reached, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    vi.spyOn(ground.storage, 'commit').mockImplementation(async (tenant, writes) => {
      if (writes.some((write) => 'set' in write && 'status' in write.set && write.set.status === 'running')) {
        reached.resolve();
        await held.promise;
      }
      return await commit(tenant, writes);
    });
    const row = await host.app.services.executions.enqueue(id, input, context);
    await reached.promise;
    ground.clock.advance(2_000);
    await vi.advanceTimersByTimeAsync(2_000);
    held.resolve();
    const run = await host.run(1);
    expect(run.context.signal.aborted).toBe(false);
    run.complete();
    await expect.poll(async () => (await read(host, row.id)).status).toBe('completed');
  });

  it('cancel what runs on the other one', async () => {
    const { ground, host, id } = await setUp();
    const answer = host.app.services.executions.execute(id, input, context).catch((error: unknown) => error);
    const run = await host.run(1);
    const second = await start(ground);
    const cancelled = await second.app.services.executions.cancel(run.job.executionId, context);
    expect(cancelled.status).toBe('cancelled');
    ground.clock.advance(2_000);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(run.context.signal.aborted).toBe(true);
    expect(await answer).toMatchObject({ code: 'execution_cancelled' });
    expect(await read(host, run.job.executionId)).toEqual(cancelled);
  });

  it('share the queue: each execution runs once', async () => {
    const { ground, host, id } = await setUp({ asyncConcurrency: 4 });
    const second = await start(ground, { asyncConcurrency: 4 });
    const rows = [];
    for (let index = 0; index < 8; index += 1)
      rows.push(await host.app.services.executions.enqueue(id, input, context));
    second.look();
    await expect.poll(() => host.runs.length + second.runs.length).toBe(8);
    for (const run of [...host.runs, ...second.runs]) run.complete();
    for (const row of rows) await expect.poll(async () => (await read(host, row.id)).status).toBe('completed');
    expect(host.runs.length + second.runs.length).toBe(8);
  });
});

describe('a server that died', () => {
  it('leaves executions that the next start closes, along with those from before there were leases', async () => {
    const { ground, host, id } = await setUp();
    const done = host.app.services.executions.execute(id, input, context);
    (await host.run(1)).complete();
    const row = await done;
    let number = 0;
    for (const owner of [null, 'instance_dead']) {
      for (const tenant of ['acme', 'other']) {
        number += 1;
        const left = { ...row, id: `execution_${number}`, revision: 1, status: 'running', owner } as const;
        await ground.storage.commit(contextOf(tenant).caller.tenant, [{ insert: 'executions', row: left }]);
      }
    }
    const instance = {
      id: 'instance_dead',
      revision: 1,
      process: '',
      startedAt: row.createdAt,
      expiresAt: row.createdAt,
    };
    const { tenant } = contextOf('any').caller;
    await ground.storage.commit(tenant, [{ insert: 'instances', row: instance }]);
    ground.clock.advance(3_000);
    await start(ground);
    expect(await ground.storage.scanAllTenants('executions', { status: 'running' }, 9)).toEqual([]);
    expect(await ground.storage.scanAllTenants('executions', { status: 'interrupted' }, 9)).toHaveLength(4);
    expect((await read(host, row.id)).status).toBe('completed');
  });

  it.each([
    [false, 'interrupted'],
    [true, 'queued'],
  ] as const)(
    'with retryInterrupted %s leaves an execution from the queue %s, and one with a waiting caller interrupted',
    async (retryInterrupted, status) => {
      const { ground, host, id } = await setUp({ retryInterrupted });
      const { id: queued } = await host.app.services.executions.enqueue(id, input, context);
      await host.run(1);
      void host.app.services.executions.execute(id, input, context).catch(() => undefined);
      const waited = (await host.run(2)).job.executionId;
      ground.clock.advance(LEASE_MS + 3_000);
      const second = await start(ground, { retryInterrupted });
      const after = (await read(second, queued)).status;
      expect(status === 'queued' ? ['queued', 'running'] : [status]).toContain(after);
      expect((await read(second, waited)).status).toBe('interrupted');
      if (status === 'interrupted') return;
      const again = await second.run(1);
      expect(again.job.executionId).toBe(queued);
      again.complete();
      await expect.poll(async () => (await read(second, queued)).status).toBe('completed');
      expect(await read(second, queued)).toMatchObject({ attempt: 2 });
    },
  );

  it.each([
    ['config', { retryInterrupted: true, maxAttempts: 2 }, {}],
    ['settings of the function', {}, { retry: { attempts: 2, on: ['interrupted'] } }],
  ] as const)(
    'an execution that kills its server is started as often as the %s allow',
    async (_, options, settings) => {
      const ground = createGround();
      const first = await start(ground, options);
      const functionId = await createFunction(first);
      await first.app.services.settings.put(functionId, settings, {}, context);
      const { id } = await first.app.services.executions.enqueue(functionId, input, context);
      await first.run(1);
      ground.clock.advance(LEASE_MS + 3_000);
      const second = await start(ground, options);
      await second.run(1);
      ground.clock.advance(LEASE_MS + 3_000);
      const third = await start(ground, options);
      expect((await read(third, id)).status).toBe('interrupted');
    },
  );

  it('an execution whose server died leaves its slot to the next one', async () => {
    const ground = createGround();
    const first = await start(ground);
    const functionId = await createFunction(first);
    await first.app.services.settings.put(functionId, { concurrency: { limit: 1 } }, {}, context);
    void first.app.services.executions.execute(functionId, input, context).catch(() => undefined);
    await first.run(1);
    ground.clock.advance(LEASE_MS + 3_000);
    const second = await start(ground);
    const done = second.app.services.executions.execute(functionId, input, context);
    (await second.run(1)).complete();
    expect(await done).toMatchObject({ status: 'completed' });
    expect(await ground.storage.scanAllTenants('executionSlots', {}, 9)).toEqual([]);
  });
});

describe('a server that stops', () => {
  it('lets running executions finish, and leaves queued ones to the next server', async () => {
    const { ground, host, id } = await setUp({ asyncConcurrency: 1 });
    const running = await host.app.services.executions.enqueue(id, input, context);
    const run = await host.run(1);
    const waiting = await host.app.services.executions.enqueue(id, input, context);
    const stopped = host.app.host.stop(60_000);
    run.complete();
    await stopped;
    expect(host.runs).toHaveLength(1);
    expect(await ground.storage.scanAllTenants('instances', {}, 9)).toEqual([]);
    const next = await start(ground);
    expect((await read(next, running.id)).status).toBe('completed');
    (await next.run(1)).complete();
    await expect.poll(async () => (await read(next, waiting.id)).status).toBe('completed');
  });

  it.each([
    [false, 'interrupted'],
    [true, 'queued'],
  ] as const)(
    'cuts off an execution that takes too long: with retryInterrupted %s it is %s',
    async (retryInterrupted, status) => {
      const { ground, host, id } = await setUp({ retryInterrupted });
      const { id: execution } = await host.app.services.executions.enqueue(id, input, context);
      await host.run(1);
      await host.app.host.stop(0);
      const [found] = await ground.storage.scanAllTenants('executions', {}, 1);
      expect(found?.row).toMatchObject({ id: execution, status, owner: null });
      const [job] = await ground.storage.scanAllTenants('jobs', {}, 1);
      expect(job === undefined).toBe(status === 'interrupted');
    },
  );
});

describe('a storage that is down when a run ends', () => {
  it('receives the end of the run once it is back', async () => {
    const { ground, host, id } = await setUp();
    const { storage } = ground;
    const commit = storage.commit.bind(storage);
    const answer = host.app.services.executions.execute(id, input, context).catch((error: unknown) => error);
    const run = await host.run(1);
    storage.commit = async () => {
      throw new Error('the storage is down');
    };
    run.complete();
    expect(await answer).toMatchObject({ message: 'the storage is down' });
    storage.commit = commit;
    expect((await read(host, run.job.executionId)).status).toBe('running');
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await read(host, run.job.executionId)).status).toBe('completed');
  });
});

describe.each([
  ['although it was written', true],
  ['and that was not written', false],
])('a start that the storage failed to acknowledge, %s,', (_, isWritten) => {
  /** Fails the first start of an execution. */
  async function setUpBroken() {
    const parts = await setUp();
    const { storage } = parts.ground;
    const commit = storage.commit.bind(storage);
    storage.commit = async (...given) => {
      if (!JSON.stringify(given[1]).includes('"status":"running"')) return await commit(...given);
      storage.commit = commit;
      if (isWritten) await commit(...given);
      throw new PatchbayError('storage_unavailable', 'the connection broke');
    };
    await parts.host.app.services.settings.put(parts.id, { concurrency: { limit: 1 } }, {}, context);
    return parts;
  }

  it('is repeated for a queued execution', async () => {
    const { ground, host, id } = await setUpBroken();
    const row = await host.app.services.executions.enqueue(id, input, context);
    await expect.poll(async () => (await ground.storage.scanAllTenants('jobs', {}, 1))[0]?.row.error).toBeTruthy();
    await vi.advanceTimersByTimeAsync(2_000);
    ground.clock.advance(60_000);
    host.look();
    (await host.run(1)).complete();
    await expect.poll(async () => (await read(host, row.id)).status).toBe('completed');
    expect((await read(host, row.id)).attempt).toBe(1);
    expect(await ground.storage.scanAllTenants('executionSlots', {}, 9)).toEqual([]);
  });

  it('leaves nothing behind for an execution whose caller waits', async () => {
    const { ground, host, id } = await setUpBroken();
    const answer = host.app.services.executions.execute(id, input, context);
    await expect(answer).rejects.toMatchObject({ code: 'storage_unavailable' });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await ground.storage.scanAllTenants('executions', {}, 9)).toEqual([]);
    expect(await ground.storage.scanAllTenants('executionSlots', {}, 9)).toEqual([]);
    expect(host.runs).toHaveLength(0);
  });
});
