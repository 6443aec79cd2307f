import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tenantId } from '@patchbay/core/plugin';
import { queueConformance, storageConformance, storageQueueSubject } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import type { ConnectionOptions } from '../driver.ts';
import plugin from '../index.ts';
import { SqliteStorage } from '../sqlite-storage.ts';
import { functionRow } from '../test-support/function-row.ts';
import { temporaryStorage, temporaryStorageOf } from '../test-support/temporary-storage.ts';
import { sqlite3Driver } from './sqlite3.ts';
import { loadSqlite3, Sqlite3Connection, type Sqlite3Package } from './sqlite3-connection.ts';

const acme = tenantId('acme');

// NODE_PATH leads to the package where it was installed for this: `pnpm test:sqlite3` does.
const directory = import.meta.dirname;
const load = (): Sqlite3Package => loadSqlite3(directory);
let sqlite3: Sqlite3Package | undefined;
try {
  sqlite3 = load();
} catch {
  console.warn('SKIPPED: store-sqlite on the package sqlite3, which is not installed; `pnpm test:sqlite3` installs it');
}

const create = (options?: Partial<ConnectionOptions>) =>
  temporaryStorageOf((given) => new SqliteStorage(given, sqlite3Driver(load)), options);
const functions = (...rows: readonly (readonly [string, number])[]) =>
  rows.map(([id, size]) => ({ insert: 'functions', row: functionRow(id, { code: 'x'.repeat(size) }) }) as const);

describe.skipIf(sqlite3 === undefined)('driver: sqlite3', () => {
  storageConformance({ describe, it }, { create: () => create(), capabilities: plugin.definition.capabilities ?? [] });
  queueConformance(
    { describe, it },
    { create: async () => storageQueueSubject(await create()), capabilities: ['durable'] },
  );

  // Not both at once in one process: each brings its own SQLite, and locks of a file are per process.
  it('opens files of the default driver, and vice versa', async () => {
    const first = await temporaryStorage();
    await first.storage.commit(acme, functions(['before', 1]));
    await first.storage.stop();
    const options = { file: first.file, busyTimeoutMs: 5_000, cacheMegabytes: 1, maxMegabytes: undefined };
    const second = new SqliteStorage(options, sqlite3Driver(load));
    await second.start(new AbortController().signal);
    expect(await second.migrate()).toEqual([]);
    expect(await second.get(acme, 'functions', 'before')).toEqual(functionRow('before', { code: 'x' }));
    expect(await second.commit(acme, functions(['after', 1]))).toEqual({ done: true });
    await second.stop();
    const third = await first.reopen();
    expect(await third.get(acme, 'functions', 'after')).toEqual(functionRow('after', { code: 'x' }));
    await first.dispose();
  });

  it('refuses a file with tables of something else, and leaves it as it is', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'patchbay-sqlite-'));
    const file = join(folder, 'some.db');
    const { dispose, file: own } = await create();
    await writeFile(file, '');
    const other = await Sqlite3Connection.open(load(), file, 'write', ['journal_mode = WAL']);
    await other.run('CREATE TABLE notes (b TEXT)');
    await other.close();
    const before = [await readdir(folder), await readFile(file)];
    const storageOf = (path: string) =>
      new SqliteStorage(
        { file: path, busyTimeoutMs: 1_000, cacheMegabytes: 1, maxMegabytes: undefined },
        sqlite3Driver(load),
      );
    const message = `${file} has tables of something else ("notes"): name another file for the storage`;
    await expect(storageOf(file).start(new AbortController().signal)).rejects.toThrow(message);
    await expect(storageOf(file).migrate()).rejects.toThrow(message);
    expect([await readdir(folder), await readFile(file)]).toEqual(before);
    expect(await storageOf(own).pendingMigrations()).toEqual([]);
    await dispose();
    await rm(folder, { recursive: true });
  });

  it('waits for the lock of another connection, and goes on reading meanwhile', async () => {
    const { storage, file, dispose } = await create();
    const lock = await Sqlite3Connection.open(load(), file, 'write', []);
    await lock.run('BEGIN IMMEDIATE');
    const commit = storage.commit(acme, functions(['waits', 1]));
    for (let round = 0; round < 20; round += 1) {
      expect(await storage.get(acme, 'functions', 'waits')).toBeUndefined();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await lock.run('ROLLBACK');
    expect(await commit).toEqual({ done: true });
    await lock.close();
    await dispose();
  });

  it('stops waiting for a lock, and reports it in its health until the lock is released', async () => {
    const { storage, file, dispose } = await create({ busyTimeoutMs: 20 });
    const lock = await Sqlite3Connection.open(load(), file, 'write', []);
    await lock.run('BEGIN IMMEDIATE');
    await expect(storage.commit(acme, functions(['a', 1]))).rejects.toMatchObject({ code: 'storage_unavailable' });
    await expect(storage.migrate()).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(await storage.health()).toMatchObject({ status: 'fail', detail: expect.stringContaining('SQLITE_BUSY') });
    await lock.run('ROLLBACK');
    expect(await storage.health()).toEqual({ status: 'pass' });
    expect(await storage.commit(acme, functions(['a', 1]))).toEqual({ done: true });
    await lock.close();
    await dispose();
  });

  it('refuses commits on a full disk, keeps what was acknowledged, and goes on once there is space', async () => {
    const { storage, dispose } = await create({ maxMegabytes: 1 });
    const ids: string[] = [];
    let failure: unknown;
    while (failure === undefined) {
      const id = `f_${ids.length}`;
      const [settled] = await Promise.allSettled([storage.commit(acme, functions([id, 100_000]))]);
      if (settled?.status === 'rejected') failure = settled.reason;
      else ids.push(id);
    }
    expect(failure).toMatchObject({ code: 'storage_unavailable', cause: { code: 'SQLITE_FULL' } });
    expect(ids.length).toBeGreaterThan(3);
    const page = async () => await storage.list(acme, 'functions', { sort: 'name', order: 'asc', limit: 100 });
    const { rows, total } = await page();
    expect([rows.map(({ id }) => id).sort(), total]).toEqual([[...ids].sort(), ids.length]);
    expect(await storage.commit(acme, [{ delete: 'functions', id: 'f_0' }])).toEqual({ done: true });
    expect(await storage.commit(acme, functions(['again', 50_000]))).toEqual({ done: true });
    expect((await page()).total).toBe(ids.length);
    expect(await storage.health()).toEqual({ status: 'pass' });
    await dispose();
  });

  it('lets the event loop go on during a long query', async () => {
    const { file, dispose } = await create();
    const connection = await Sqlite3Connection.open(load(), file, 'read', []);
    let turned = false;
    setImmediate(() => {
      turned = true;
    });
    const sql =
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT sum(i) AS s FROM n';
    expect(await connection.rows(sql, [])).toEqual([{ s: 5_000_050_000 }]);
    expect(turned).toBe(true);
    await connection.close();
    await dispose();
  });
});

describe('driver: sqlite3, not installed', () => {
  it.skipIf(sqlite3 !== undefined)('names the package to install', async () => {
    const storage = plugin.definition.create({
      config: { file: './x.db', driver: 'sqlite3', busyTimeoutMs: 1, cacheMegabytes: 1, maxMegabytes: undefined },
      deps: {},
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      mount: 'storage',
      directory,
    });
    await expect(storage.start?.(new AbortController().signal)).rejects.toThrow('npm install sqlite3');
  });
});
