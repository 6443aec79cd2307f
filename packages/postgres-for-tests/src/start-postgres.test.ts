import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canStartPostgres, type OwnPostgres, startPostgres } from './start-postgres.ts';

const folderOf = (url: string): string => decodeURIComponent(new URL(url).hostname);

async function ask(url: string, sql: string): Promise<unknown> {
  const client = new Client({ connectionString: url });
  // A server that ends tells every connection.
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows[0]?.[0];
  } finally {
    await client.end();
  }
}

describe.skipIf(!canStartPostgres())('startPostgres', () => {
  let postgres: OwnPostgres;

  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  it('serves a PostgreSQL', async () => {
    expect(await ask(postgres.url, 'SHOW server_version')).toMatch(/^18\./);
    expect(await ask(postgres.url, 'SHOW server_encoding')).toBe('UTF8');
  });

  it('creates empty databases that are not shared', async () => {
    const [one, two] = await Promise.all([postgres.createDatabase(), postgres.createDatabase()]);
    await ask(one.url, 'CREATE TABLE mine (id integer)');
    expect(await ask(two.url, "SELECT COUNT(*) FROM pg_tables WHERE tablename = 'mine'")).toBe('0');
    await one.drop();
    await expect(ask(one.url, 'SELECT 1')).rejects.toThrow(/does not exist/);
    await two.drop();
  });

  it('preserves acknowledged rows across a crash', async () => {
    const { url } = await postgres.createDatabase();
    await ask(url, 'CREATE TABLE kept AS SELECT 7 AS id');
    await postgres.crash();
    await expect(ask(url, 'SELECT 1')).rejects.toThrow(/ECONNREFUSED|ENOENT/);
    await postgres.restart();
    expect(await ask(url, 'SELECT id FROM kept')).toBe(7);
  });

  it('stops answering while it is paused', async () => {
    const open = new Client({ connectionString: postgres.url });
    await open.connect();
    postgres.pause();
    const answers = [open.query('SELECT 1'), ask(postgres.url, 'SELECT 1')];
    const first = await Promise.race([...answers, wait(50, 'none')]);
    postgres.resume();
    expect(first).toBe('none');
    await Promise.all(answers);
    await open.end();
  });

  it('leaves nothing behind when it is stopped', async () => {
    const other = await startPostgres();
    expect(existsSync(folderOf(other.url))).toBe(true);
    await other.stop();
    expect(existsSync(folderOf(other.url))).toBe(false);
  });

  it('leaves nothing behind when the process that started it is killed', async () => {
    const program = fileURLToPath(new URL('fixtures/killed.ts', import.meta.url));
    const child = spawn(process.execPath, ['--conditions=source', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
    expect(await ask(url, 'SELECT 1')).toBe(1);
    child.kill('SIGKILL');
    while (existsSync(folderOf(url))) await wait(20);
    await expect(ask(url, 'SELECT 1')).rejects.toThrow(/ECONNREFUSED|ENOENT/);
  });
});
