import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../driver/expect-problem.ts';
import { echo } from '../driver/sample-functions.ts';
import { sandboxProcesses } from '../driver/sandbox-processes.ts';
import {
  type Answer,
  ask,
  type ServerProcess,
  startServerProcess,
  type TemporaryData,
  temporaryData,
} from '../driver/server-process.ts';

// Asynchronous executions: over HTTP, in real processes, and across a crash of the server.

let data: TemporaryData;
let server: ServerProcess;

const config = (executions: string): string => `patchbay: 1
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
executor: { use: "@patchbay/executor-deno", with: { spares: 1 } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
secretFile: ./secret
executions: { asyncConcurrency: 1, ${executions} }
`;

/** Returns what it was given, after as many milliseconds as it says. */
const later = {
  ...echo,
  input: { type: 'object', properties: { ms: { type: 'integer', default: 0 } } },
  code: 'export default async ({ ms }) => { await new Promise((resolve) => setTimeout(resolve, ms)); return { ms } }',
};

const start = async (executions = 'retryInterrupted: false'): Promise<void> => {
  server = await startServerProcess(data.path, { config: config(executions) });
};
const create = async (source: object = later): Promise<string> =>
  String((await ask(server, 'POST', '/functions', source)).body['id']);
const enqueue = async (id: string, ms: number): Promise<Answer> =>
  await ask(server, 'POST', `/functions/${id}/execute`, { input: { ms } }, { prefer: 'respond-async' });
const accepted = async (id: string, ms: number): Promise<string> => {
  const { status, body } = await enqueue(id, ms);
  expect(status).toBe(202);
  return String(body['id']);
};
const read = async (id: string): Promise<Answer['body']> => (await ask(server, 'GET', `/executions/${id}`)).body;
const becomes = async (id: string, status: string): Promise<Answer['body']> => {
  await expect.poll(async () => (await read(id))['status']).toBe(status);
  return await read(id);
};

// One server for all tests: those that kill it leave the next one.
beforeAll(async () => {
  data = await temporaryData();
  await start();
});

afterAll(async () => {
  await server.end('SIGKILL');
  await data.remove();
});

describe('Prefer: respond-async', () => {
  it('answers 202 with where to look, and the execution completes', async () => {
    const id = await create();
    const { status, headers, body } = await enqueue(id, 5);
    expect(status).toBe(202);
    expect(headers.get('preference-applied')).toBe('respond-async');
    expect(headers.get('location')).toBe(`/executions/${String(body['id'])}`);
    expect(body).toMatchObject({ functionId: id, status: 'queued', input: { ms: 5 }, logs: [] });
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['principal', 'owner', 'completedAt']));
    const done = await becomes(String(body['id']), 'completed');
    expect(done).toMatchObject({ output: { ms: 5 }, createdAt: body['createdAt'] });

    expectProblem(await enqueue(id, 'x' as never), 'input_invalid', '/input/ms', 'type');
    expectProblem(await enqueue('function_x', 1), 'function_not_found');
    const failing = await accepted(
      await create({ ...echo, code: 'export default () => { throw new Error("no") }' }),
      0,
    );
    expect(await becomes(failing, 'failed')).toMatchObject({ error: { code: 'function_threw' } });
    expect(server.log.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('DELETE /executions/:id', () => {
  it('cancels what waits and what runs, down to the process, and nothing else', async () => {
    const id = await create();
    const running = await accepted(id, 50_000);
    const waiting = await accepted(id, 0);
    await becomes(running, 'running');
    await expect.poll(() => sandboxProcesses(data.path).length).toBeGreaterThan(0);
    const first = await ask(server, 'DELETE', `/executions/${waiting}`);
    expect([first.status, first.body]).toMatchObject([200, { status: 'cancelled', error: { code: 'cancelled' } }]);
    const second = await ask(server, 'DELETE', `/executions/${running}`);
    expect([second.status, second.body]).toMatchObject([200, { status: 'cancelled', durationMs: expect.any(Number) }]);
    expect(await read(running)).toEqual(second.body);
    const again = await ask(server, 'DELETE', `/executions/${running}`);
    expect([again.status, again.body]).toEqual([200, second.body]);

    const done = await accepted(id, 0);
    await becomes(done, 'completed');
    expectProblem(await ask(server, 'DELETE', `/executions/${done}`), 'conflict');
    expectProblem(await ask(server, 'DELETE', '/executions/execution_x'), 'execution_not_found');
    expect((await read(waiting))['status']).toBe('cancelled');

    const sync = ask(server, 'POST', `/functions/${id}/execute`, { input: { ms: 9_000 } });
    const list = async () => (await ask(server, 'GET', `/functions/${id}/executions`)).body['data'] as Answer['body'][];
    await expect.poll(async () => (await list())[0]?.['status']).toBe('running');
    await ask(server, 'DELETE', `/executions/${String((await list())[0]?.['id'])}`);
    expectProblem(await sync, 'execution_cancelled');
  });
});

describe('kill -9', () => {
  it('loses nothing that waits, and interrupts what runs', async () => {
    const id = await create();
    const running = await accepted(id, 50_000);
    await becomes(running, 'running');
    const waiting = await Promise.all([1, 2, 3].map((ms) => accepted(id, ms)));
    await server.end('SIGKILL');
    await start();
    expect(await read(running)).toMatchObject({ status: 'interrupted', error: { code: 'interrupted' } });
    for (const [index, execution] of waiting.entries()) {
      expect(await becomes(execution, 'completed')).toMatchObject({ output: { ms: index + 1 } });
    }
    expect((await read(running))['status']).toBe('interrupted');
    await expect.poll(() => sandboxProcesses(data.path).length).toBeLessThan(20);
  });

  it('runs an interrupted execution again where the operator allows it', async () => {
    const id = await create();
    const running = await accepted(id, 1_500);
    await becomes(running, 'running');
    await server.end('SIGKILL');
    await start('retryInterrupted: true');
    expect(await becomes(running, 'completed')).toMatchObject({ attempt: 2, output: { ms: 1_500 } });
  });
});

describe('two servers on one file', () => {
  it('share the queue, and do not touch the executions of each other', async () => {
    const first = server;
    const id = await create();
    const sync = ask(first, 'POST', `/functions/${id}/execute`, { input: { ms: 3_000 } });
    const list = async () => (await ask(first, 'GET', `/functions/${id}/executions`)).body['data'] as Answer['body'][];
    await expect.poll(async () => (await list())[0]?.['status']).toBe('running');
    const second = await startServerProcess(data.path, { config: config('retryInterrupted: false') });
    try {
      const executions = await Promise.all([1, 2, 3, 4].map((ms) => accepted(id, ms)));
      expect((await sync).body).toMatchObject({ status: 'completed', output: { ms: 3_000 } });
      for (const execution of executions) expect(await becomes(execution, 'completed')).not.toHaveProperty('attempt');
      const running = await accepted(id, 50_000);
      await becomes(running, 'running');
      expect((await ask(second, 'DELETE', `/executions/${running}`)).body).toMatchObject({ status: 'cancelled' });
    } finally {
      await second.end('SIGKILL');
    }
  });
});

it('the last server stops in order', async () => {
  expect(await server.end('SIGTERM')).toEqual({ code: 0 });
});
