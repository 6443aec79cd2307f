import { afterEach, describe, expect, it } from 'vitest';
import { contextOf, summarize } from '../fixtures/function-parts.ts';
import { context, createFunction, createGround, type Host, input } from './fixtures/execution-app.ts';

const page = { limit: 20, offset: 0, sort: 'createdAt', order: 'desc' } as const;
const other = contextOf('other');
let host: Host | undefined;

afterEach(async () => {
  await host?.app.host.stop(0);
});

async function setUp(...given: Parameters<ReturnType<typeof createGround>['host']>) {
  const ground = createGround();
  host = await ground.host(...given);
  const { app } = host;
  const run = (number: number) => (host as Host).run(number);
  const { executions } = app.services;
  const id = await createFunction(host);
  let runs = 0;
  /** Queue an execution whose output does not fit. */
  const fail = async (): Promise<string> => {
    const row = await executions.enqueue(id, input, context);
    runs += 1;
    (await run(runs)).complete({ points: 'none' });
    await expect.poll(async () => (await executions.get(row.id, context)).status).toBe('failed');
    return row.id;
  };
  const list = async (functionId?: string) =>
    (await executions.deadLetters.list(functionId, page, context)).rows.map((row) => row.id);
  return { ...ground, app, run, executions, id, fail, list };
}

describe('dead letters', () => {
  it('are asynchronous executions that did not complete, with their error and their runs', async () => {
    const { executions, id, fail } = await setUp();
    const dead = await fail();
    const { rows, total } = await executions.deadLetters.list(id, page, context);
    expect([rows.length, total]).toEqual([1, 1]);
    expect(rows[0]).toMatchObject({ id: dead, attempt: 1, status: 'failed', error: { code: 'output_invalid' } });
    expect((await executions.deadLetters.list(undefined, page, other)).rows).toEqual([]);
    const unknown = executions.deadLetters.list(id, page, other);
    await expect(unknown).rejects.toMatchObject({ code: 'function_not_found' });
  });

  it('do not include executions whose caller waits, that are cancelled, or that run again', async () => {
    const { app, executions, id, list, run } = await setUp();
    const waiting = executions.execute(id, input, context);
    (await run(1)).complete({ points: 'none' });
    await expect(waiting).rejects.toMatchObject({ code: 'function_output_invalid' });
    await app.services.settings.put(id, { retry: { attempts: 2, backoff: '1h' } }, {}, context);
    const row = await executions.enqueue(id, input, context);
    (await run(2)).complete({ points: 'none' });
    await expect.poll(async () => (await executions.get(row.id, context)).status).toBe('queued');
    expect(await list()).toEqual([]);
    await executions.cancel(row.id, context);
    expect(await list()).toEqual([]);
  });

  it('are settled by being rerun, once', async () => {
    const { executions, id, fail, list } = await setUp();
    const dead = [await fail(), await fail()];
    const [first] = dead as [string];
    await executions.rerun(first, context);
    expect(await list(id)).toEqual([dead[1]]);
    expect((await executions.get(first, context)).deadLetter).toBe('settled');
    const both = await Promise.all([0, 1].map(() => executions.deadLetters.rerun(id, page, context)));
    expect(both.flatMap(({ rows }) => rows.map((row) => row.id))).toEqual([dead[1]]);
    expect(await list(id)).toEqual([]);
    // By id, it is rerun once more.
    expect((await executions.rerun(first, context)).status).toBe('queued');
  });

  it('stay if their input does not fit the current version, without holding up those after them', async () => {
    const { app, executions, id, fail, list } = await setUp();
    const dead = await fail();
    const required = ['text', 'language'];
    await app.services.functions.replace(id, { ...summarize, input: { ...summarize.input, required } }, context);
    const { rows } = await executions.deadLetters.rerun(id, page, context);
    expect(rows).toMatchObject([{ id: dead, error: { code: 'input_invalid' } }]);
    await expect(executions.rerun(dead, context)).rejects.toMatchObject({ code: 'input_invalid' });
    expect(await list()).toEqual([dead]);
  });

  it('are rerun page by page, as far as the queue has room', async () => {
    const { executions, id, fail, list } = await setUp({ asyncConcurrency: 1, maxQueued: 2 });
    for (let count = 0; count < 4; count += 1) await fail();
    // It runs until the end of the test, so that the others wait.
    const running = await executions.enqueue(id, input, context);
    await expect.poll(async () => (await executions.get(running.id, context)).status).toBe('running');
    const { rows, nextCursor } = await executions.deadLetters.rerun(id, { ...page, limit: 1 }, context);
    expect([rows.length, typeof nextCursor]).toEqual([1, 'string']);
    const next = { ...page, limit: 3, ...(nextCursor !== undefined && { cursor: nextCursor }) };
    const rest = await executions.deadLetters.rerun(id, next, context);
    expect([rest.rows.length, rest.nextCursor]).toEqual([1, undefined]);
    expect(await list(id)).toHaveLength(2);
    const full = executions.deadLetters.rerun(id, page, context);
    await expect(full).rejects.toMatchObject({ code: 'concurrency_limited' });
  });

  it('can be removed, and their executions stay', async () => {
    const { executions, fail, list } = await setUp();
    const dead = await fail();
    await executions.deadLetters.remove(dead, context);
    expect(await list()).toEqual([]);
    const again = executions.deadLetters.remove(dead, context);
    await expect(again).rejects.toMatchObject({
      code: 'execution_not_found',
      message: expect.stringContaining('no dead letter'),
    });
    expect(await executions.get(dead, context)).toMatchObject({ status: 'failed', deadLetter: 'settled' });
  });

  it('are announced to webhooks, in addition to the failure', async () => {
    const { app, fail, id, storage } = await setUp();
    const events = ['dead_letter.created', 'execution.failed'] as const;
    await app.services.webhooks.create({ url: 'https://hooks.example/a', events }, context);
    const executionId = await fail();
    const found = await storage.scanAllTenants('webhookEvents', {}, 10);
    const dead = found.find(({ row }) => row.type === 'dead_letter.created');
    expect(found.map(({ row }) => row.type).toSorted()).toEqual(events);
    const data = { executionId, functionId: id, status: 'failed', errorCode: 'output_invalid', attempts: 1 };
    expect(dead?.row.data).toEqual({ ...data, scheduleId: null, scheduledFor: null });
  });
});
