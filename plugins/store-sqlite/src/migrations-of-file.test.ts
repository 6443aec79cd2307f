import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { releasedMigrations } from '@patchbay/store-typeorm';
import { runMigrations } from '@patchbay/store-typeorm/migrations';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadBetterSqlite3, type SqliteDatabase } from './better-sqlite3.ts';
import { betterSqlite3DataSource } from './better-sqlite3-data-source.ts';
import { SqliteStorage } from './sqlite-storage.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'patchbay-sqlite-'));
  file = join(folder, 'some.db');
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const options = () => ({ file, busyTimeoutMs: 1_000, cacheMegabytes: 1, maxMegabytes: undefined });
const storageOf = () => new SqliteStorage(options());

function open(...statements: readonly string[]): SqliteDatabase {
  const database = new (loadBetterSqlite3())(file, { readonly: false, timeout: 1_000 });
  for (const sql of statements) database.exec(sql);
  return database;
}

const make = (...statements: readonly string[]) => open(...statements).close();
const contents = async () => [await readdir(folder), await readFile(file)] as const;

/** The messages of a start, a migration and a list of migrations. */
async function refusals(): Promise<readonly unknown[]> {
  const storage = storageOf();
  const attempts = [
    () => storage.start(AbortSignal.timeout(10_000)),
    () => storage.migrate(),
    () => storage.pendingMigrations(),
  ];
  const messages: unknown[] = [];
  for (const attempt of attempts) messages.push(await attempt().then(String, ({ message }: Error) => message));
  await storage.stop();
  return messages;
}

async function isUsable(): Promise<boolean> {
  const storage = storageOf();
  await storage.start(AbortSignal.timeout(10_000));
  await storage.migrate();
  const { status } = await storage.health();
  const pending = await storage.pendingMigrations();
  await storage.stop();
  return status === 'pass' && pending.length === 0;
}

const times = (message: string) => [message, message, message];

describe('a file with tables of something else', () => {
  it.each([
    ['one table', ['CREATE TABLE notes (b TEXT)'], '"notes"'],
    ['a table that is called like one of ours', ['CREATE TABLE functions (a INTEGER)'], '"functions"'],
    ['a view', ['CREATE VIEW one AS SELECT 1'], '"one"'],
    [
      'many tables',
      ['d', 'b', 'a', 'e', 'c'].map((name) => `CREATE TABLE ${name} (id INTEGER PRIMARY KEY AUTOINCREMENT)`),
      '"a", "b", "c" and 2 more',
    ],
    [
      'migrations of something else',
      ['CREATE TABLE migrations (name TEXT)', "INSERT INTO migrations VALUES ('Users1700000000000')"],
      '"migrations"',
    ],
    ['a table of migrations with other columns', ['CREATE TABLE migrations (migration TEXT)'], '"migrations"'],
  ])('a file with %s is refused, and stays as it is', async (_, statements, named) => {
    make(...statements);
    const before = await contents();
    expect(await refusals()).toEqual(
      times(`${file} has tables of something else (${named}): name another file for the storage`),
    );
    expect(await contents()).toEqual(before);
  });

  it('a file with a log is refused while another process has it, and after that', async () => {
    const other = open('PRAGMA journal_mode = WAL', 'CREATE TABLE notes (b TEXT)');
    const message = `${file} has tables of something else ("notes"): name another file for the storage`;
    const before = await contents();
    expect(await refusals()).toEqual(times(message));
    expect(await contents()).toEqual(before);
    other.close();
    const closed = await contents();
    expect(await refusals()).toEqual(times(message));
    expect(await contents()).toEqual(closed);
  });
});

describe('a file without tables of something else', () => {
  it.each([
    ['nothing', []],
    ['a header', ['PRAGMA user_version = 1']],
    ['the log that a first start has switched it to', ['PRAGMA journal_mode = WAL']],
    ['tables of SQLite', ['CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT)', 'ANALYZE', 'DROP TABLE a']],
    [
      'tables of Litestream',
      ['CREATE TABLE _litestream_seq (id INTEGER)', 'CREATE TABLE _litestream_lock (id INTEGER)'],
    ],
    ['an empty table of migrations', ['CREATE TABLE migrations (id INTEGER PRIMARY KEY, timestamp, name)']],
  ])('a file with %s is taken', async (_, statements) => {
    make(...statements);
    expect(await isUsable()).toBe(true);
  });

  it('a file of an earlier release is migrated', async () => {
    make();
    const dataSource = await betterSqlite3DataSource(options());
    dataSource.migrations.splice(5);
    const names = await runMigrations(dataSource, dataSource.createQueryRunner(), 'run');
    await dataSource.destroy();
    expect(names).toEqual(releasedMigrations.slice(0, 5));
    expect(await storageOf().pendingMigrations()).toEqual(releasedMigrations.slice(5));
    expect(await isUsable()).toBe(true);
  });

  it('a file of ours with another table beside its own is taken', async () => {
    expect(await isUsable()).toBe(true);
    make('CREATE TABLE notes (b TEXT)', 'ANALYZE');
    expect(await isUsable()).toBe(true);
  });

  it('a migration that fails names the file and what SQLite said', async () => {
    expect(await isUsable()).toBe(true);
    make(`DELETE FROM migrations WHERE name = 'ExecutionCounts1795330000000'`);
    await expect(storageOf().migrate()).rejects.toMatchObject({
      code: 'storage_unavailable',
      message: `${file} could not be migrated: index ix_executions_created_at_id already exists (SQLITE_ERROR)`,
    });
  });
});
