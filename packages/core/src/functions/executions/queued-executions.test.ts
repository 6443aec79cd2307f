import { PatchbayError } from '@patchbay/contracts/errors';
import type { ExecutionRow } from '@patchbay/contracts/rows';
import { afterEach, describe, expect, it } from 'vitest';
import { contextOf, summarize } from '../fixtures/function-parts.ts';
import { executionView } from './create-execution-service.ts';
import { context, createFunction, createGround, type Ground, type Host, input } from './fixtures/execution-app.ts';

const hosts: Host[] = [];

async function start(ground: Ground, ...given: Parameters<Ground['host']>): Promise<Host> {
  const host = await ground.host(...given);
  hosts.push(host);
  return host;
}

async function setUp(...given: Parameters<Ground['host']>) {
  const ground = createGround();
  const host = await start(ground, ...given);
  return { ...ground, ...host, host, ground, id: await createFunction(host) };
}

const statusOf = async ({ app }: Host, id: string) => (await app.services.executions.get(id, context)).status;
const ended = async (host: Host, id: string, status: ExecutionRow['status']) => {
  await expect.poll(async () => await statusOf(host, id)).toBe(status);
  return await host.app.services.executions.get(id, context);
};

/** Have the queue poll, and count the runs so far. */
function lookAndCount(host: Host): number {
  host.look();
  return host.runs.length;
}

afterEach(async () => {
  for (const { app } of hosts.splice(0)) await app.host.stop(0);
});

describe('a queued execution', () => {
  it('reads as queued, then running, then completed', async () => {
    const { app, host, id } = await setUp();
    const row = await app.services.executions.enqueue(id, input, context);
    expect(row).toMatchObject({ status: 'queued', functionId: id, functionVersion: 1, input, completedAt: null });
    expect(row.effectiveInput).toEqual({ text: 'a', maxPoints: 5 });
    const run = await host.run(1);
    expect(run.job).toMatchObject({ executionId: row.id, input: '{"text":"a","maxPoints":5}' });
    expect(run.job.limits.wallMs).toBe(60_000);
    expect(await statusOf(host, row.id)).toBe('running');
    run.complete({ points: ['b'] });
    const done = await ended(host, row.id, 'completed');
    expect(done).toMatchObject({ output: { points: ['b'] }, owner: null, attempt: 1 });
    expect(executionView(done)).not.toHaveProperty('principal');
    expect(executionView(done)).not.toHaveProperty('attempt');
  });

  it('with an invalid input is refused at once, and nothing is stored', async () => {
    const { app, id, storage } = await setUp();
    await expect(app.services.executions.enqueue(id, {}, context)).rejects.toMatchObject({ code: 'input_invalid' });
    await expect(app.services.executions.enqueue('f', input, context)).rejects.toMatchObject({
      code: 'function_not_found',
    });
    expect(await storage.scanAllTenants('executions', {}, 1)).toEqual([]);
    expect(await storage.scanAllTenants('jobs', {}, 1)).toEqual([]);
  });

  it('is retried as the settings of its function say, and keeps the error of the previous run', async () => {
    const { app, host, id, clock } = await setUp();
    const retry = { attempts: 3, backoff: '10s', on: ['failed'] } as const;
    await app.services.settings.put(id, { retry, timeoutMs: 5_000 }, {}, context);
    const row = await app.services.executions.enqueue(id, input, context);
    await app.services.settings.delete(id, context);
    for (const [attempt, waitMs] of [10_000, 20_000].entries()) {
      const run = await host.run(attempt + 1);
      expect(run.job.limits.wallMs).toBe(5_000);
      run.complete({ points: 'none' });
      const waiting = await ended(host, row.id, 'queued');
      expect(waiting).toMatchObject({ attempt: attempt + 1, error: { code: 'output_invalid' }, completedAt: null });
      clock.advance(waitMs * 0.7);
      expect(lookAndCount(host)).toBe(attempt + 1);
      clock.advance(waitMs * 0.6);
      await expect.poll(() => lookAndCount(host)).toBe(attempt + 2);
    }
    (await host.run(3)).complete({ points: 'none' });
    expect(await ended(host, row.id, 'failed')).toMatchObject({ attempt: 3, error: { code: 'output_invalid' } });
  });

  it('waits while as many executions of its function run as the settings allow across all servers', async () => {
    const { app, host, ground, id, clock } = await setUp();
    await app.services.settings.put(id, { concurrency: { limit: 1, by: 'text' } }, {}, context);
    const enqueue = async (text: string) => (await app.services.executions.enqueue(id, { text }, context)).id;
    const one = await enqueue('a');
    const first = await host.run(1);
    const other = await start(ground);
    const [two, three] = [await enqueue('a'), await enqueue('b')];
    await expect.poll(() => lookAndCount(host) + lookAndCount(other)).toBe(2);
    expect([await statusOf(host, two), await statusOf(host, three)]).toEqual(['queued', 'running']);
    const waiting = app.services.executions.execute(id, { text: 'a' }, context);
    await expect(waiting).rejects.toMatchObject({ code: 'concurrency_limited' });

    first.complete();
    await ended(host, one, 'completed');
    clock.advance(600);
    await expect.poll(() => lookAndCount(host) + lookAndCount(other)).toBe(3);
    expect(await statusOf(host, two)).toBe('running');
    await app.services.executions.cancel(two, context);
    await app.services.executions.cancel(three, context);
  });

  it('waits until the rate limit allows its function to run again, while callers that wait receive Retry-After', async () => {
    const { app, host, id, clock } = await setUp();
    await app.services.settings.put(id, { rateLimit: { requests: 1, seconds: 30, burst: 1 } }, {}, context);
    const enqueue = async () => (await app.services.executions.enqueue(id, input, context)).id;
    const [one, two] = [await enqueue(), await enqueue()];
    (await host.run(1)).complete();
    await ended(host, one, 'completed');
    const refused = app.services.executions.execute(id, input, context);
    await expect(refused).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfter: 30,
      extensions: { 'violated-policies': ['function'] },
    });
    expect([lookAndCount(host), await statusOf(host, two)]).toEqual([1, 'queued']);
    clock.advance(31_000);
    await expect.poll(() => lookAndCount(host)).toBe(2);
    (await host.run(2)).complete();
    await ended(host, two, 'completed');
  });

  it('does not count towards the rate of its function while it waits for a slot', async () => {
    const { app, host, id, clock } = await setUp();
    const rateLimit = { requests: 1, seconds: 3_600, burst: 2 };
    await app.services.settings.put(id, { rateLimit, concurrency: { limit: 1 } }, {}, context);
    const one = await app.services.executions.enqueue(id, input, context);
    const first = await host.run(1);
    for (let number = 0; number < 3; number += 1) {
      const refused = app.services.executions.execute(id, input, context);
      await expect(refused).rejects.toMatchObject({ code: 'concurrency_limited' });
    }
    first.complete();
    await ended(host, one.id, 'completed');
    const two = await app.services.executions.enqueue(id, input, context);
    clock.advance(600);
    (await host.run(2)).complete();
    await ended(host, two.id, 'completed');
  });

  it('runs on behalf of the caller who queued it', async () => {
    const { app, host, id } = await setUp();
    const caller = { ...context.caller, scopes: ['functions:execute'] as const };
    await app.services.executions.enqueue(id, input, { ...context, caller });
    const run = await host.run(1);
    expect(run.context.caller).toEqual(caller);
    expect(run.context.requestId).toMatch(/^request_/);
    run.complete();
  });

  it('runs in an execute slot of its caller, and leaves the consumer to others until one is free', async () => {
    const { app, host, id, clock } = await setUp({ asyncConcurrency: 1 }, { key: { concurrent: { execute: 1 } } });
    const { limits } = app.services;
    const slot = limits.enter(context.caller, 'execute');
    const row = await app.services.executions.enqueue(id, input, context);
    const other = contextOf('other');
    const { id: foreign } = await app.services.functions.create(summarize, other);
    await app.services.executions.enqueue(foreign, input, other);
    const first = await host.run(1);
    expect([first.context.caller.tenant, await statusOf(host, row.id)]).toEqual(['other', 'queued']);
    first.complete();
    slot.leave();
    await expect
      .poll(() => {
        clock.advance(1_000);
        return lookAndCount(host);
      })
      .toBe(2);
    const second = await host.run(2);
    expect(second.job.executionId).toBe(row.id);
    expect(() => limits.enter(context.caller, 'execute')).toThrow(
      expect.objectContaining({ code: 'concurrency_limited' }),
    );
    second.complete();
    await ended(host, row.id, 'completed');
    await expect.poll(() => limits.enter(context.caller, 'execute')).toHaveProperty('leave');
  });

  it('runs the version that it was accepted for', async () => {
    const { app, host, id } = await setUp({ asyncConcurrency: 1 });
    await app.services.executions.enqueue(id, input, context);
    const first = await host.run(1);
    const waiting = await app.services.executions.enqueue(id, input, context);
    await app.services.functions.replace(id, { ...summarize, code: 'async function other() {}' }, context);
    first.complete();
    const second = await host.run(2);
    expect(second.job).toMatchObject({ functionVersion: 1, artifact: summarize.code });
    second.complete();
    await ended(host, waiting.id, 'completed');
  });

  it('fails if the function was deleted in the meantime', async () => {
    const { app, host, id } = await setUp({ asyncConcurrency: 1 });
    await app.services.executions.enqueue(id, input, context);
    const first = await host.run(1);
    const waiting = await app.services.executions.enqueue(id, input, context);
    await app.services.functions.delete(id, context);
    first.complete();
    expect(await ended(host, waiting.id, 'failed')).toMatchObject({ error: { code: 'function_not_found' } });
    expect(host.runs).toHaveLength(1);
  });

  it.each([{ revokedAt: '2026-01-01T00:00:00.000Z' }, { expiresAt: '2026-01-01T00:00:00.000Z' }])(
    'does not run once the key is no longer valid: %j',
    async (change) => {
      const { app, host, id, storage } = await setUp({ asyncConcurrency: 1 });
      const { tenant } = context.caller;
      const row = {
        id: context.caller.id,
        revision: 1,
        lookupId: 'l',
        name: 'n',
        secretHash: 'h',
        scopes: ['*'],
        createdAt: '2025-01-01T00:00:00.000Z',
        createdBy: 'key',
        expiresAt: null,
        revokedAt: null,
        ipAddresses: null,
        functions: null,
        rateLimit: null,
        budget: null,
        lastUsedAt: null,
        rotatedAt: null,
        previousHash: null,
        previousUntil: null,
      };
      await storage.commit(tenant, [{ insert: 'apiKeys', row }]);
      const valid = await app.services.executions.enqueue(id, input, context);
      const first = await host.run(1);
      const waiting = await app.services.executions.enqueue(id, input, context);
      await storage.commit(tenant, [{ update: 'apiKeys', id: row.id, set: change }]);
      first.complete();
      expect(await ended(host, waiting.id, 'cancelled')).toMatchObject({ error: { code: 'key_revoked' } });
      expect(await statusOf(host, valid.id)).toBe('completed');
      expect(host.runs).toHaveLength(1);
    },
  );

  it('is retried on an overloaded executor, later each time', async () => {
    const { app, host, id, clock } = await setUp();
    const { id: execution } = await app.services.executions.enqueue(id, input, context);
    for (const [attempt, ms] of [
      [1, 1_300],
      [2, 2_500],
    ] as const) {
      (await host.run(attempt)).reject(new PatchbayError('overloaded', 'busy', { retryAfter: 1 }));
      await expect.poll(async () => await statusOf(host, execution)).toBe('queued');
      clock.advance(100);
      host.look();
      clock.advance(ms);
      await expect.poll(() => lookAndCount(host)).toBe(attempt + 1);
    }
    (await host.run(3)).complete();
    const done = await ended(host, execution, 'completed');
    expect(executionView(done)).toMatchObject({ attempt: 3 });
  });

  it('fails in the end if the executor never works', async () => {
    const { app, host, id, clock } = await setUp({ maxAttempts: 2 });
    const { id: execution } = await app.services.executions.enqueue(id, input, context);
    (await host.run(1)).reject(new PatchbayError('executor_unavailable', 'gone', { retryAfter: 1 }));
    await expect.poll(async () => await statusOf(host, execution)).toBe('queued');
    clock.advance(2_000);
    await expect.poll(() => lookAndCount(host)).toBe(2);
    (await host.run(2)).reject(new PatchbayError('executor_unavailable', 'gone', { retryAfter: 1 }));
    expect(await ended(host, execution, 'failed')).toMatchObject({ error: { code: 'executor_unavailable' } });
  });

  it('ends without a retry after a fault of the function or the server', async () => {
    const { app, host, id, storage } = await setUp();
    const invalid = await app.services.executions.enqueue(id, input, context);
    (await host.run(1)).complete({ points: 1 });
    expect(await ended(host, invalid.id, 'failed')).toMatchObject({ error: { code: 'output_invalid' } });
    const broken = await app.services.executions.enqueue(id, input, context);
    (await host.run(2)).reject(new Error('a secret'));
    const row = await ended(host, broken.id, 'failed');
    expect(row.error).toEqual({ code: 'internal_error', message: 'the function could not be run' });
    await expect.poll(async () => await storage.scanAllTenants('jobs', {}, 1)).toEqual([]);
    expect(host.runs).toHaveLength(2);
  });

  it('is refused by a full queue', async () => {
    const { app, host, id } = await setUp({ asyncConcurrency: 1, maxQueued: 2 });
    await app.services.executions.enqueue(id, input, context);
    await host.run(1);
    await app.services.executions.enqueue(id, input, context);
    await app.services.executions.enqueue(id, input, context);
    const refused = { code: 'concurrency_limited', retryAfter: 5 };
    await expect(app.services.executions.enqueue(id, input, context)).rejects.toMatchObject(refused);
  });
});

describe('cancelling', () => {
  it('a waiting execution keeps it from ever running', async () => {
    const { app, host, id, storage } = await setUp({ asyncConcurrency: 1 });
    await app.services.executions.enqueue(id, input, context);
    const first = await host.run(1);
    const waiting = await app.services.executions.enqueue(id, input, context);
    const cancelled = await app.services.executions.cancel(waiting.id, context);
    expect(cancelled).toMatchObject({ status: 'cancelled', error: { code: 'cancelled' } });
    expect(cancelled.completedAt).not.toBeNull();
    expect(await app.services.executions.cancel(waiting.id, context)).toEqual(cancelled);
    first.complete();
    await expect.poll(async () => await storage.scanAllTenants('jobs', {}, 1)).toEqual([]);
    expect(host.runs).toHaveLength(1);
  });

  it('a running execution ends it, and resolves once its process is gone', async () => {
    const { app, host, id } = await setUp();
    const { id: execution } = await app.services.executions.enqueue(id, input, context);
    const run = await host.run(1);
    run.log('so far');
    expect(run.context.signal.aborted).toBe(false);
    const cancelled = await app.services.executions.cancel(execution, context);
    expect(run.context.signal.aborted).toBe(true);
    expect(cancelled).toMatchObject({ status: 'cancelled', owner: null, logs: [{ message: 'so far' }] });
    run.complete();
    expect(await statusOf(host, execution)).toBe('cancelled');
  });

  it('resolves for a waiting caller', async () => {
    const { app, host, id } = await setUp();
    const waiting = app.services.executions.execute(id, input, context).catch((error: unknown) => error);
    const run = await host.run(1);
    await app.services.executions.cancel(run.job.executionId, context);
    expect(await waiting).toMatchObject({
      code: 'execution_cancelled',
      extensions: { execution: { id: run.job.executionId, status: 'cancelled' } },
    });
  });

  it('a finished, unknown or foreign execution is refused', async () => {
    const { app, host, id } = await setUp();
    const { id: execution } = await app.services.executions.enqueue(id, input, context);
    (await host.run(1)).complete();
    await ended(host, execution, 'completed');
    await expect(app.services.executions.cancel(execution, context)).rejects.toMatchObject({
      code: 'conflict',
      message: 'the execution has already ended: completed',
    });
    const missing = { code: 'execution_not_found' };
    await expect(app.services.executions.cancel('execution_x', context)).rejects.toMatchObject(missing);
    const caller = { ...context.caller, tenant: 'other' as typeof context.caller.tenant };
    await expect(app.services.executions.cancel(execution, { ...context, caller })).rejects.toMatchObject(missing);
  });
});
