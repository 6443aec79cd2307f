import { setImmediate } from 'node:timers/promises';
import { tenantId } from '@patchbay/core/plugin';
import type { CommitResult, Write } from '@patchbay/core/storage';
import { type EncodedWrite, WriteEncoder } from '@patchbay/store-typeorm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect, immediateWrites, PreparedStatements, type SqliteDatabase } from './better-sqlite3.ts';
import { deferredWrites, type WriterConnection } from './driver.ts';
import { GroupWriter } from './group-writer.ts';
import { functionRow } from './test-support/function-row.ts';
import { temporaryStorage } from './test-support/temporary-storage.ts';

const acme = tenantId('acme');
/** For groups that no slow machine splits. */
const unhurried = Number.POSITIVE_INFINITY;
let subject: Awaited<ReturnType<typeof temporaryStorage>>;
let connections: SqliteDatabase[];

beforeEach(async () => {
  subject = await temporaryStorage();
  connections = [];
});

afterEach(async () => {
  for (const connection of connections) connection.close();
  await subject.dispose();
});

function opened(): SqliteDatabase {
  const options = { file: subject.file, busyTimeoutMs: 0, cacheMegabytes: 1, maxMegabytes: undefined };
  const connection = connect(options, 'write');
  connections.push(connection);
  return connection;
}

const insertion = (id: string, name = 'plain'): Write => ({ insert: 'functions', row: functionRow(id, { name }) });
const encoder = new WriteEncoder('sqlite');
const encoded = (...writes: readonly Write[]): readonly EncodedWrite[] => encoder.encode(acme, writes);

async function total(): Promise<number> {
  return (await subject.storage.list(acme, 'functions', { sort: 'name', order: 'asc', limit: 1 })).total;
}

/** Counts the transactions that reached the disk, as seen from another connection. */
async function transactions(body: () => Promise<unknown>): Promise<number> {
  const database = opened();
  const pages = () => (database.pragma('wal_checkpoint(PASSIVE)') as [{ log: number }])[0].log;
  database.pragma('wal_checkpoint(TRUNCATE)');
  await body();
  return pages();
}

describe('group commit', () => {
  it('writes commits of one turn to disk together', async () => {
    const ids = Array.from({ length: 64 }, (_, index) => `f${index}`);
    const together = await transactions(() =>
      Promise.all(ids.map((id) => subject.storage.commit(acme, [insertion(id)]))),
    );
    const alone = await transactions(async () => {
      for (const id of ids) await subject.storage.commit(acme, [insertion(`${id}_alone`)]);
    });
    expect(await total()).toBe(128);
    expect(together * 5).toBeLessThan(alone);
  });

  it('rejects the whole group where the flush fails, and goes on with the next', async () => {
    const database = opened();
    database.prepare('CREATE TABLE parent (id INTEGER PRIMARY KEY)').run([]);
    database.prepare('CREATE TABLE child (id INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)').run([]);
    // A broken reference that is only checked at the end: the insert works, and the commit does not.
    database
      .prepare(
        `CREATE TRIGGER poison AFTER INSERT ON functions WHEN new.name = 'poison'
         BEGIN INSERT INTO child (id) VALUES (1); END`,
      )
      .run([]);
    const writer = new GroupWriter(immediateWrites(opened()), 0, unhurried);
    const commits = ['a', 'b', 'poison', 'c'].map((name) => writer.commit(acme, encoded(insertion(name, name))));
    for (const settled of await Promise.allSettled(commits)) {
      expect(settled).toMatchObject({ status: 'rejected', reason: { code: 'storage_unavailable' } });
    }
    expect(await total()).toBe(0);
    expect(await writer.commit(acme, encoded(insertion('a')))).toEqual({ done: true });
    expect(await total()).toBe(1);
  });

  it('waits for the disk unless all commits of the group ask for less', async () => {
    const database = opened();
    const writer = new GroupWriter(immediateWrites(database), 0, unhurried);
    const flushing = () => (database.pragma('synchronous') as [{ synchronous: number }])[0].synchronous;
    const [normal, full] = [1, 2];
    await writer.commit(acme, encoded(insertion('a')));
    expect(flushing()).toBe(full);
    await Promise.all(['b', 'c'].map((id) => writer.commit(acme, encoded(insertion(id)), { survives: 'crash' })));
    expect(flushing()).toBe(normal);
    const mixed = [undefined, { survives: 'crash' }, { survives: 'power-loss' }] as const;
    await Promise.all(mixed.map((options, index) => writer.commit(acme, encoded(insertion(`d${index}`)), options)));
    expect(flushing()).toBe(full);
    await writer.commit(acme, encoded(insertion('e')), { survives: 'crash' });
    await writer.probe();
    expect(flushing()).toBe(full);
    expect(await total()).toBe(7);
  });

  it('survives a rollback of the whole transaction by SQLite in the middle of a group', async () => {
    const database = opened();
    database
      .prepare(
        `CREATE TRIGGER poison AFTER INSERT ON functions WHEN new.name = 'poison'
         BEGIN SELECT RAISE(ROLLBACK, 'gone'); END`,
      )
      .run([]);
    const commits = ['a', 'poison', 'b'].map((name) => subject.storage.commit(acme, [insertion(name, name)]));
    const settled = await Promise.allSettled(commits);
    const stored = await total();
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(stored);
    expect(settled[1]).toMatchObject({ status: 'rejected', reason: { code: 'storage_unavailable' } });
    for (const [index, name] of ['a', 'poison', 'b'].entries()) {
      const there = (await subject.storage.get(acme, 'functions', name)) !== undefined;
      expect(there).toBe(settled[index]?.status === 'fulfilled');
    }
  });
});

const drivers: Readonly<Record<string, (database: SqliteDatabase) => WriterConnection>> = {
  'at once': immediateWrites,
  later: (database) => {
    const prepared = new PreparedStatements(database);
    return deferredWrites(async (statement) => {
      await setImmediate();
      return prepared.execute(statement);
    });
  },
};

describe.each(Object.entries(drivers))('a group writer on a driver that answers %s', (_, connectionOf) => {
  const writerOf = (groupMs?: number): GroupWriter => new GroupWriter(connectionOf(opened()), 0, groupMs);

  it('splits a long queue into groups and keeps its order', async () => {
    const writer = writerOf();
    const order: number[] = [];
    const text = 'x'.repeat(50_000);
    await Promise.all(
      Array.from({ length: 600 }, async (_, index) => {
        const row = functionRow(`f${index}`, { code: text });
        const result: CommitResult = await writer.commit(acme, encoded({ insert: 'functions', row }));
        expect(result).toEqual({ done: true });
        order.push(index);
      }),
    );
    expect(order).toEqual(Array.from({ length: 600 }, (_, index) => index));
    expect(await total()).toBe(600);
  });

  it('undoes a refused commit and keeps its neighbours', async () => {
    const writer = writerOf();
    const commits = [[insertion('a')], [insertion('b'), insertion('a')], [insertion('c')], [insertion('c')]];
    const results = await Promise.all(commits.map((writes) => writer.commit(acme, encoded(...writes))));
    expect(results).toEqual([
      { done: true },
      { done: false, index: 1, reason: 'exists' },
      { done: true },
      { done: false, index: 0, reason: 'exists' },
    ]);
    expect(await total()).toBe(2);
  });

  it('rejects a commit that fails alone, and writes its neighbours', async () => {
    const database = opened();
    database
      .prepare(
        "CREATE TRIGGER refuse BEFORE INSERT ON functions WHEN NEW.name = 'poison' BEGIN SELECT RAISE(ABORT, 'no'); END",
      )
      .run([]);
    const writer = writerOf();
    const commits = [[insertion('a')], [insertion('b'), insertion('p', 'poison')], [insertion('q', 'poison')]];
    const settled = await Promise.allSettled(
      [...commits, [insertion('c')]].map((writes) => writer.commit(acme, encoded(...writes))),
    );
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(await total()).toBe(2);
    expect(writer.isFailing).toBe(false);
  });

  it('rejects the whole group where SQLite rolls the transaction back, and goes on with the next', async () => {
    const database = opened();
    database
      .prepare(
        "CREATE TRIGGER lose BEFORE INSERT ON functions WHEN NEW.name = 'poison' BEGIN SELECT RAISE(ROLLBACK, 'no'); END",
      )
      .run([]);
    const writer = writerOf(unhurried);
    const commits = [insertion('a'), insertion('p', 'poison')].map((write) => writer.commit(acme, encoded(write)));
    const settled = await Promise.allSettled(commits);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(writer.isFailing).toBe(true);
    await writer.probe();
    expect(writer.isFailing).toBe(false);
    expect(await writer.commit(acme, encoded(insertion('b')))).toEqual({ done: true });
    expect(await total()).toBe(1);
  });

  it('rejects what waits for another process once the deadline has passed, and drains', async () => {
    const database = opened();
    const writer = writerOf();
    database.prepare('BEGIN IMMEDIATE').run([]);
    const busy = writer.commit(acme, encoded(insertion('a')));
    await expect(busy).rejects.toMatchObject({ code: 'storage_unavailable' });
    database.prepare('COMMIT').run([]);
    const commit = writer.commit(acme, encoded(insertion('a')));
    await writer.drain();
    expect(await total()).toBe(1);
    expect(await commit).toEqual({ done: true });
  });
});
