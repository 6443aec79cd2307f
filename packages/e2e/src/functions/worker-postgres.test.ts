import { missingPostgres, openPostgres, type TestDatabase, type TestPostgres } from '@patchbay/postgres-for-tests';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createMigratedDatabase } from '../driver/migrated-postgres.ts';
import { echo } from '../driver/sample-functions.ts';
import {
  type Answer,
  ask,
  type ServerProcess,
  startServerProcess,
  type TemporaryData,
  temporaryData,
} from '../driver/server-process.ts';

// A server that takes no jobs, and workers, on one PostgreSQL with pg-boss. With the built-in queue: `replica-faults.test.ts`.

const missing = missingPostgres();
let postgres: TestPostgres;
let database: TestDatabase;
let data: TemporaryData;
const processes: ServerProcess[] = [];

const config = () => `patchbay: 1
server: { consumeJobs: false }
storage: { use: "@patchbay/store-postgres", with: { url: "${database.url}" } }
rateLimiter: { use: "@patchbay/limiter-postgres", with: { url: "${database.url}" } }
queue: { use: "@patchbay/queue-pgboss", with: { url: "${database.url}", pollMs: 60000 } }
executor: { use: "@patchbay/executor-deno", with: { spares: 1 } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
secretFile: ./secret
executions: { asyncConcurrency: 2, retryInterrupted: true }
`;

/** Returns what it was given, after as many milliseconds as it says. */
const later = {
  ...echo,
  input: { type: 'object', properties: { ms: { type: 'integer' } }, required: ['ms'] },
  code: 'export default async ({ ms }) => { await new Promise((resolve) => setTimeout(resolve, ms)); return { ms } }',
};

const start = async (text?: string, worker = false): Promise<ServerProcess> => {
  const asWorker = worker ? { arguments: ['worker', '--port', '0'], readyMessage: 'working' } : {};
  const started = await startServerProcess(data.path, { ...asWorker, ...(text !== undefined && { config: text }) });
  processes.push(started);
  return started;
};

beforeAll(async () => {
  if (missing === undefined) postgres = await openPostgres();
});
afterAll(async () => {
  await postgres?.stop();
});
beforeEach(async () => {
  database = await createMigratedDatabase(postgres);
  data = await temporaryData();
});
afterEach(async () => {
  for (const each of processes.splice(0)) await each.end('SIGKILL');
  await data.remove();
});

describe.skipIf(missing !== undefined)('patchbay worker on PostgreSQL, with pg-boss', () => {
  it('runs each accepted execution once, and takes over from a worker that was killed', async () => {
    // A worker that is not notified of a job would find it only after a minute.
    const server = await start(config());
    const workers = await Promise.all([start(undefined, true), start(undefined, true)]);
    const read = async (id: string): Promise<Answer['body']> => (await ask(server, 'GET', `/executions/${id}`)).body;
    const becomes = async (id: string, status: string): Promise<Answer['body']> => {
      await expect.poll(async () => (await read(id))['status']).toBe(status);
      return await read(id);
    };
    const { body: made } = await ask(server, 'POST', '/functions', later);
    const path = `/functions/${String(made['id'])}/execute`;
    const accepted = async (ms: number): Promise<string> => {
      const { status, body } = await ask(server, 'POST', path, { input: { ms } }, { prefer: 'respond-async' });
      expect(status).toBe(202);
      return String(body['id']);
    };
    const ids = await Promise.all(Array.from({ length: 12 }, (_, index) => accepted(index)));
    for (const [index, id] of ids.entries()) {
      expect((await becomes(id, 'completed'))['output']).toEqual({ ms: index });
    }

    const long = await accepted(1_000);
    await becomes(long, 'running');
    await Promise.all(workers.map((worker) => worker.end('SIGKILL')));
    const third = await start(undefined, true);
    expect(await becomes(long, 'completed')).toMatchObject({ attempt: 2, output: { ms: 1_000 } });
    expect(await third.end('SIGTERM')).toEqual({ code: 0 });
    expect(await server.end('SIGTERM')).toEqual({ code: 0 });
    for (const each of [server, third]) expect(each.log.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
