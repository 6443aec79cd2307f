import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tenantId } from '@patchbay/core/plugin';
import type { Storage } from '@patchbay/core/storage';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requireNodeApi } from './better-sqlite3.ts';
import plugin from './index.ts';
import { functionRow } from './test-support/function-row.ts';
import { temporaryStorage } from './test-support/temporary-storage.ts';

const acme = tenantId('acme');
const query = { sort: 'name', order: 'asc', limit: 1 } as const;
const silent = { debug() {}, info() {}, warn() {}, error() {} };
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'patchbay-sqlite-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

function create(file: string): Storage {
  const config = { file, busyTimeoutMs: 100, cacheMegabytes: 1 };
  return plugin.definition.create({ config, deps: {}, logger: silent, mount: 'storage', directory });
}

describe('the plugin', () => {
  it('touches no disk before it is started', async () => {
    create('./data/patchbay.db');
    expect(await readdir(directory)).toEqual([]);
  });

  it('creates folder and files readable by their owner only', async () => {
    const storage = create('./data/deep/patchbay.db');
    await storage.start?.(AbortSignal.timeout(10_000));
    await storage.migrate();
    await storage.commit(acme, [{ insert: 'functions', row: functionRow('one') }]);
    const mode = async (path: string) => ((await stat(join(directory, path))).mode & 0o777).toString(8);
    expect([await mode('data'), await mode('data/deep')]).toEqual(['700', '700']);
    expect(await readdir(join(directory, 'data/deep'))).toEqual(['patchbay.db', 'patchbay.db-shm', 'patchbay.db-wal']);
    expect(await mode('data/deep/patchbay.db')).toBe('600');
    expect(await mode('data/deep/patchbay.db-wal')).toBe('600');
    await storage.stop?.();
    // Everything is in one file once it is closed.
    expect(await readdir(join(directory, 'data/deep'))).toEqual(['patchbay.db']);
  });

  it('rejects :memory: with an explanation', () => {
    expect(() => create(':memory:')).toThrow(/keeps a file/);
  });

  it('refuses a Node that its driver would crash', () => {
    expect(() => requireNodeApi(9)).toThrow(/needs Node 22\.14 or newer/);
    expect(() => requireNodeApi(10)).not.toThrow();
  });

  it('rejects an aborted start', async () => {
    await expect(create('patchbay.db').start?.(AbortSignal.abort())).rejects.toThrow(/abort/);
  });

  it('names the file it cannot open', async () => {
    await mkdir(join(directory, 'folder.db'));
    await writeFile(
      join(directory, 'text.db'),
      'not a database, and longer than its header of a hundred bytes: '.repeat(9),
    );
    const start = async (file: string) => await create(file).start?.(AbortSignal.timeout(10_000));
    await expect(start('folder.db')).rejects.toThrow(/^cannot open .*folder\.db: the database cannot be opened/);
    await expect(start('text.db')).rejects.toThrow(/^cannot open .*text\.db: the file is damaged, or no database/);
    await expect(start('text.db/patchbay.db')).rejects.toThrow(/text\.db/);
  });
});

describe('a storage that is not running', () => {
  it('answers that it is unavailable, before and after', async () => {
    const storage = create('patchbay.db');
    const refuses = async () => {
      const unavailable = { code: 'storage_unavailable' };
      await expect(storage.get(acme, 'functions', 'one')).rejects.toMatchObject(unavailable);
      await expect(storage.list(acme, 'functions', query)).rejects.toMatchObject(unavailable);
      await expect(storage.commit(acme, [{ delete: 'functions', id: 'one' }])).rejects.toMatchObject(unavailable);
      await expect(storage.scanAllTenants('functions', {}, 1)).rejects.toMatchObject(unavailable);
      expect(await storage.health?.()).toMatchObject({ status: 'fail' });
    };
    await refuses();
    await storage.start?.(AbortSignal.timeout(10_000));
    expect(await storage.health?.()).toEqual({ status: 'pass' });
    await storage.stop?.();
    await refuses();
    await storage.stop?.();
  });

  it('lists pending migrations without running them', async () => {
    const storage = create('patchbay.db');
    const pending = await storage.pendingMigrations?.();
    expect(pending?.length).toBeGreaterThan(0);
    expect(await storage.pendingMigrations?.()).toEqual(pending);
    expect(await storage.migrate()).toEqual(pending);
    expect(await storage.pendingMigrations?.()).toEqual([]);
  });

  it('hides what SQLite says, and keeps it as the cause', async () => {
    const storage = create('patchbay.db');
    await storage.start?.(AbortSignal.timeout(10_000));
    const error = await storage.get(acme, 'functions', 'one').catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      code: 'storage_unavailable',
      message: 'the storage could not do this right now',
      cause: { code: 'SQLITE_ERROR', message: 'no such table: functions' },
    });
    await expect(storage.commit(acme, [{ delete: 'functions', id: 'one' }])).rejects.toMatchObject({
      code: 'storage_unavailable',
      message: 'the storage could not do this right now',
    });
    await storage.stop?.();
  });
});

describe('health', () => {
  it('notices that the file is gone or another', async () => {
    const subject = await temporaryStorage();
    const { storage, file } = subject;
    try {
      await rename(file, `${file}.moved`);
      expect(await storage.health()).toEqual({ status: 'fail', detail: 'the file of the database is gone' });
      const second = await temporaryStorage({ file });
      expect(await storage.health()).toEqual({ status: 'fail', detail: 'the file of the database was replaced' });
      await second.dispose();
    } finally {
      await subject.dispose();
    }
  });
});
