import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCli } from '@patchbay/server/fixtures/run-cli';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { echo } from '../driver/sample-functions.ts';
import {
  type Answer,
  ask,
  type ServerProcess,
  startServerProcess,
  type TemporaryData,
  temporaryData,
} from '../driver/server-process.ts';

// A server that takes nothing out of the queue, and workers that do, on one file.

let data: TemporaryData;
let server: ServerProcess;
const workers: ServerProcess[] = [];

const config = `patchbay: 1
server: { consumeJobs: false }
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
executor: { use: "@patchbay/executor-deno", with: { spares: 1 } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
secretFile: ./secret
executions: { asyncConcurrency: 1, retryInterrupted: true }
`;

/** Returns what it was given, after as many milliseconds as it says. */
const later = {
  ...echo,
  input: { type: 'object', properties: { ms: { type: 'integer' } }, required: ['ms'] },
  code: 'export default async ({ ms }) => { await new Promise((resolve) => setTimeout(resolve, ms)); return { ms } }',
};

const startWorker = async (): Promise<ServerProcess> => {
  const options = { arguments: ['worker', '--port', '0'], readyMessage: 'working' };
  const worker = await startServerProcess(data.path, options);
  workers.push(worker);
  return worker;
};
const accepted = async (ms: number): Promise<string> => {
  const { body: made } = await ask(server, 'POST', '/functions', later);
  const path = `/functions/${String(made['id'])}/execute`;
  const { status, body } = await ask(server, 'POST', path, { input: { ms } }, { prefer: 'respond-async' });
  expect(status).toBe(202);
  return String(body['id']);
};
const read = async (id: string): Promise<Answer['body']> => (await ask(server, 'GET', `/executions/${id}`)).body;
const becomes = async (id: string, status: string): Promise<Answer['body']> => {
  await expect.poll(async () => (await read(id))['status'], { timeout: 60_000 }).toBe(status);
  return await read(id);
};
const statusOf = async (worker: ServerProcess, path: string, method = 'GET'): Promise<number> =>
  (await fetch(worker.url + path, { method })).status;

beforeAll(async () => {
  data = await temporaryData();
  server = await startServerProcess(data.path, { config });
});
afterEach(async () => {
  for (const each of workers.splice(0)) await each.end('SIGKILL');
});
afterAll(async () => {
  await server.end('SIGKILL');
  await data.remove();
});

describe('patchbay worker', () => {
  it('runs what a server accepted, reports its health, serves no API, and finishes what runs at SIGTERM', async () => {
    const id = await accepted(5);
    const other = await accepted(0);
    const worker = await startWorker();
    expect(await becomes(id, 'completed')).toMatchObject({ output: { ms: 5 } });
    await becomes(other, 'completed');

    expect(await statusOf(worker, '/healthz')).toBe(200);
    expect(await statusOf(worker, '/readyz?x')).toBe(200);
    expect(await statusOf(worker, '/readyz', 'POST')).toBe(405);
    const elsewhere = await ask(worker, 'GET', '/functions');
    expect([elsewhere.status, elsewhere.body['code']]).toEqual([404, 'route_not_found']);
    expect(worker.errors()).toContain(`${worker.url}/readyz`);

    const running = await accepted(1_500);
    await becomes(running, 'running');
    const waiting = await accepted(0);
    const ended = worker.end('SIGTERM');
    await worker.logged('stopping');
    expect(await statusOf(worker, '/readyz')).toBe(503);
    expect(await ended).toEqual({ code: 0 });
    expect(worker.log.filter(({ level }) => level === 'error')).toEqual([]);
    const done = await read(running);
    expect([done['status'], done['attempt']]).toEqual(['completed', undefined]);
    // Without a worker, what is accepted waits; the server can still tell, and cancel it.
    expect(await read(waiting)).toMatchObject({ status: 'queued' });
    expect((await ask(server, 'DELETE', `/executions/${waiting}`)).body['status']).toBe('cancelled');
  });

  it('hands over to another worker when it is killed', async () => {
    const first = await startWorker();
    const id = await accepted(1_500);
    await becomes(id, 'running');
    await first.end('SIGKILL');
    const second = await startWorker();
    expect(await becomes(id, 'completed')).toMatchObject({ attempt: 2, output: { ms: 1_500 } });
    expect(await second.end('SIGTERM')).toEqual({ code: 0 });
    expect(await server.end('SIGTERM')).toEqual({ code: 0 });
  });

  it('refuses to start where no job could reach it, and names the reason', async () => {
    await using folders = new AsyncDisposableStack();
    const empty = folders.adopt(await temporaryData(), (folder) => folder.remove());
    await writeFile(join(empty.path, 'patchbay.config.yaml'), 'patchbay: 1\n');
    const command = (...args: string[]) => runCli({ cwd: empty.path }, 'worker', ...args);
    const alone = await command('--port', '0');
    expect(alone).toMatchObject({ code: 78, stderr: expect.stringContaining('needs a storage') });
    const wrong = await command('--port', '70000');
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('It is a number from 0 to 65535') });
  });
});
