import { setTimeout as pause } from 'node:timers/promises';
import { canStartPostgres, type OwnPostgres, startPostgres } from '@patchbay/postgres-for-tests';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMigratedDatabase } from '../driver/migrated-postgres.ts';
import { ask, type ServerProcess, startServerProcess, temporaryData } from '../driver/server-process.ts';
import { postgresConfig } from './postgres-config.ts';

const question = { messages: [{ role: 'user', content: 'Good morning' }] };

describe.skipIf(!canStartPostgres())('a server whose PostgreSQL is away', () => {
  let postgres: OwnPostgres;
  let server: ServerProcess;
  let data: Awaited<ReturnType<typeof temporaryData>>;
  let key: string;

  let asked = 0;
  const chat = async () => {
    const response = await fetch(`${server.url}/chat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(question),
    });
    if (response.ok) asked += 1;
    return response.status;
  };
  const ready = async () => (await fetch(`${server.url}/readyz`)).status;
  const until = async (what: () => Promise<boolean>) => {
    const deadline = Date.now() + 20_000;
    while (!(await what())) {
      if (Date.now() > deadline) throw new Error('it did not come to that');
      await pause(50);
    }
  };

  beforeAll(async () => {
    postgres = await startPostgres();
    const database = await createMigratedDatabase(postgres);
    data = await temporaryData();
    const config = await postgresConfig(', connectTimeoutMs: 1000');
    server = await startServerProcess(data.path, { config, env: { DATABASE_URL: database.url } });
    const made = await ask(server, 'POST', '/keys', { name: 'App', scopes: ['gateway:invoke'] });
    key = String(made.body['key']);
    await chat();
  });

  afterAll(async () => {
    await server?.end('SIGTERM');
    await data?.remove();
    await postgres?.stop();
  });

  it.each([
    ['shut down', () => postgres.shutDown(), () => postgres.restart()],
    ['crashed', () => postgres.crash(), () => postgres.restart()],
  ])('serves what needs no database, answers 503 to the rest, and recovers: %s', async (_, away, back) => {
    await away();
    await until(async () => (await ready()) === 503);
    for (let call = 0; call < 10; call += 1) expect(await chat()).toBe(200);
    for (const [method, path] of [
      ['GET', '/functions'],
      ['GET', '/functions/function_01k00000000000000000000000'],
      ['GET', '/keys'],
      ['POST', '/functions'],
    ] as const) {
      const body =
        method === 'POST'
          ? { name: 'x', input: { type: 'object' }, output: { type: 'object' }, code: '() => ({})' }
          : undefined;
      const answer = await ask(server, method, path, body);
      expect([path, answer.status, answer.body['code']]).toEqual([path, 503, 'storage_unavailable']);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(JSON.stringify(answer.body)).not.toMatch(/postgres|ECONN|sock/i);
    }
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    await back();
    await until(async () => (await ready()) === 200);
    expect((await ask(server, 'GET', '/functions')).status).toBe(200);
    expect(await chat()).toBe(200);
    // Usage was kept in memory during the outage, and is stored now: each call once.
    const { body } = await ask(server, 'GET', '/usage');
    expect(body['total']).toMatchObject({ modelCalls: asked });
  });
});
