import { tenantId } from '@patchbay/core/plugin';
import type { ExecutionRow } from '@patchbay/core/storage';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect, type SqliteDatabase } from './better-sqlite3.ts';
import { betterSqlite3DataSource } from './better-sqlite3-data-source.ts';
import { temporaryStorage } from './test-support/temporary-storage.ts';

const executionRow: Omit<ExecutionRow, 'id' | 'status'> = {
  revision: 1,
  functionId: 'function_1',
  functionVersion: 1,
  input: {},
  effectiveInput: null,
  output: null,
  error: null,
  logs: [],
  logsTruncated: false,
  usage: null,
  durationMs: null,
  createdAt: '2026-01-02T03:04:05.678Z',
  completedAt: null,
  createdBy: 'key_1',
  owner: null,
  attempt: 1,
  principal: null,
  parentId: null,
  calls: null,
  trial: null,
  policy: null,
  scheduleId: null,
  deadLetter: null,
  scheduledFor: null,
  after: null,
};

let subject: Awaited<ReturnType<typeof temporaryStorage>>;

beforeEach(async () => {
  subject = await temporaryStorage();
});

afterEach(async () => {
  await subject.dispose();
});

const options = () => ({ file: subject.file, busyTimeoutMs: 1_000, cacheMegabytes: 1, maxMegabytes: undefined });

async function opened<R>(body: (database: SqliteDatabase) => Promise<R>): Promise<R> {
  const database = connect(options(), 'write');
  try {
    return await body(database);
  } finally {
    database.close();
  }
}

describe('schema', () => {
  it('a schema is what the entities declare, once migrated', async () => {
    const dataSource = await betterSqlite3DataSource(options());
    await opened(async (database) => {
      const missing = async () =>
        (await dataSource.driver.createSchemaBuilder().log()).upQueries.map(({ query }) => query);
      expect(await missing()).toEqual([]);
      database.prepare('DROP INDEX ix_executions_tenant_created_at_id').run([]);
      expect(await missing()).toHaveLength(1);
    });
    await dataSource.destroy();
  });

  it('orders large columns after all others', async () => {
    await opened(async (database) => {
      const columns = database.prepare('SELECT name FROM pragma_table_info(?)').raw(true).all(['functions']).flat();
      // Columns that came later stand last: one is looked for in its index only, and the others are read with all the rest.
      const later: readonly unknown[] = ['key', 'bundle_id', 'packages'];
      const big = ['description', 'input', 'output', 'code', 'artifact'];
      expect(columns.filter((name) => !later.includes(name)).slice(-big.length)).toEqual(big);
    });
  });

  it('counts the executions that were there before their statuses were counted', async () => {
    const { storage } = subject;
    const acme = tenantId('acme');
    for (const [id, status] of [
      ['a', 'failed'],
      ['b', 'failed'],
      ['c', 'completed'],
    ] as const) {
      await storage.commit(acme, [{ insert: 'executions', row: { ...executionRow, id, status } }]);
    }
    await opened(async (database) => {
      database.prepare("DELETE FROM counts WHERE field = 'status'").run([]);
      database.prepare('DROP INDEX ix_executions_created_at_id').run([]);
      database.prepare("DELETE FROM migrations WHERE name LIKE 'ExecutionCounts%'").run([]);
    });
    expect(await storage.migrate()).toEqual(['ExecutionCounts1795330000000']);
    const total = async (status: 'failed' | 'completed' | 'queued') =>
      (await storage.list(acme, 'executions', { where: { status }, sort: 'createdAt', order: 'asc', limit: 1 })).total;
    expect([await total('failed'), await total('completed'), await total('queued')]).toEqual([2, 1, 0]);
    await storage.commit(acme, [{ update: 'executions', id: 'a', set: { status: 'completed' } }]);
    expect([await total('failed'), await total('completed')]).toEqual([1, 2]);
  });

  it('a schema of a newer version is refused', async () => {
    await opened(async (database) => {
      database
        .prepare('INSERT INTO migrations (timestamp, name) VALUES (?, ?)')
        .run([9_999_999_999_999, 'FromTheFuture9999999999999']);
    });
    await expect(subject.storage.migrate()).rejects.toThrow(
      'the database has the migration FromTheFuture9999999999999, so it needs a newer version of this plugin',
    );
  });

  it('a migration that fails leaves nothing behind', async () => {
    await opened(async (database) => {
      const all = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").raw(true).all([]).flat();
      const kept = ['counts', 'migrations', 'sqlite_sequence'];
      for (const table of all.map(String).filter((name) => !kept.includes(name))) {
        database.prepare(`DROP TABLE ${table}`).run([]);
      }
      // Only `counts` is left, so the migration fails at its last step.
      database.prepare('DELETE FROM migrations').run([]);
      await expect(subject.storage.migrate()).rejects.toMatchObject({ code: 'storage_unavailable' });
      const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").raw(true);
      expect(tables.all([]).flat()).toEqual(['counts', 'migrations', 'sqlite_sequence']);
    });
  });
});
