import { PatchbayError, tenantId } from '@patchbay/core/plugin';
import type { CommitResult } from '@patchbay/core/storage';
import { canStartPostgres, type OwnPostgres, startPostgres, type TestDatabase } from '@patchbay/postgres-for-tests';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ConnectOptions } from './connect.ts';
import type { PostgresStorage } from './postgres-storage.ts';
import { insertFunction } from './test-support/function-row.ts';
import { severingProxy } from './test-support/severing-proxy.ts';
import { openStorage } from './test-support/temporary-storage.ts';

const acme = tenantId('acme');
const done = { done: true };

async function failureOf(promise: Promise<unknown>): Promise<PatchbayError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!PatchbayError.is(error)) throw new Error('it did not fail as it should', { cause: error });
  return error;
}

const gone = { code: 'storage_unavailable', status: 503, retryAfter: 1 };

describe.skipIf(!canStartPostgres())('when the database fails', () => {
  let postgres: OwnPostgres;
  let database: TestDatabase;
  const opened: PostgresStorage[] = [];
  const open = async (options: Partial<ConnectOptions> = {}, url = database.url): Promise<PostgresStorage> => {
    const storage = await openStorage(url, options);
    opened.push(storage);
    return storage;
  };

  beforeAll(async () => {
    postgres = await startPostgres({ settings: { deadlock_timeout: '20ms' } });
    database = await postgres.createDatabase();
    await (await open()).migrate();
  });
  afterEach(async () => {
    for (const storage of opened.splice(0)) await storage.stop();
    await database.query('DELETE FROM functions; DELETE FROM counts');
  });
  afterAll(() => postgres.stop());

  it('health reports the failure until the database is back', async () => {
    const storage = await open();
    await storage.commit(acme, [insertFunction('before')]);
    await postgres.shutDown();
    expect(await storage.health()).toMatchObject({
      status: 'fail',
      detail: expect.stringMatching(/socket|connection/),
    });
    expect(await failureOf(storage.get(acme, 'functions', 'before'))).toMatchObject(gone);
    expect(await failureOf(storage.commit(acme, [insertFunction('meanwhile')]))).toMatchObject(gone);
    await postgres.restart();
    expect(await storage.health()).toEqual({ status: 'pass' });
    expect(await storage.commit(acme, [insertFunction('after')])).toEqual(done);
    const page = await storage.list(acme, 'functions', { sort: 'name', order: 'asc', limit: 9, select: ['id'] });
    expect(page).toEqual({ rows: [{ id: 'after' }, { id: 'before' }], total: 2 });
  });

  it('acknowledged commits survive a crash, all or nothing', async () => {
    const storage = await open();
    const acknowledged: string[] = [];
    let halted = false;
    const writers = Array.from({ length: 5 }, async (_, writer) => {
      for (let round = 0; !halted; round += 1) {
        const id = `${writer}_${round}`;
        const writes = [insertFunction(`${id}_a`), insertFunction(`${id}_b`)];
        const result = await storage.commit(acme, writes).catch(() => undefined);
        if (result?.done === true) acknowledged.push(id);
        halted ||= result === undefined;
      }
    });
    while (acknowledged.length < 40) await new Promise(setImmediate);
    await postgres.crash();
    await Promise.all(writers);
    await postgres.restart();
    const rows = await database.query('SELECT id FROM functions ORDER BY id');
    const there = new Set(rows.map(({ id }) => id));
    for (const id of acknowledged) expect(there.has(`${id}_a`) && there.has(`${id}_b`), id).toBe(true);
    for (const id of there) expect(there.has(String(id).replace(/.$/, (end) => (end === 'a' ? 'b' : 'a')))).toBe(true);
    const { total } = await storage.list(acme, 'functions', { sort: 'name', order: 'asc', limit: 1 });
    expect(total).toBe(there.size);
  });

  it('calls to an unresponsive server time out, and no others', async () => {
    const storage = await open({ statementTimeoutMs: 500, connectTimeoutMs: 500 });
    await storage.commit(acme, [insertFunction('one')]);
    postgres.pause();
    const failures = await Promise.all([
      failureOf(storage.get(acme, 'functions', 'one')),
      failureOf(storage.commit(acme, [insertFunction('two')])),
    ]);
    postgres.resume();
    for (const failure of failures) expect(failure).toMatchObject(gone);
    expect((await storage.get(acme, 'functions', 'one'))?.id).toBe('one');
    expect(await storage.commit(acme, [insertFunction('three')])).toEqual(done);
  });

  it('a commit waits for a lock or a connection no longer than configured', async () => {
    const storage = await open({ poolSize: 1, lockTimeoutMs: 2_000, connectTimeoutMs: 500 });
    await storage.commit(acme, [insertFunction('locked')]);
    const other = new Client({ connectionString: database.url });
    await other.connect();
    await other.query("BEGIN; SELECT 1 FROM functions WHERE id = 'locked' FOR UPDATE");
    const [waited, queued] = await Promise.all([
      failureOf(storage.commit(acme, [{ update: 'functions', id: 'locked', set: { name: 'new' } }])),
      failureOf(storage.get(acme, 'functions', 'locked')),
    ]);
    expect(waited).toMatchObject(gone);
    expect(queued).toMatchObject(gone);
    await other.end();
    expect(await storage.commit(acme, [{ update: 'functions', id: 'locked', set: { name: 'new' } }])).toEqual(done);
  });

  it('repeats a commit that had to give way to another one', async () => {
    const storage = await open();
    await storage.commit(acme, [insertFunction('a'), insertFunction('b')]);
    const deadlocks = async () =>
      Number(
        (await database.query('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()'))[0]?.[
          'deadlocks'
        ],
      );
    const rename = (id: string, name: string) => ({ update: 'functions', id, set: { name } }) as const;
    let commits = 0;
    // Each writes one row twice, so that its writes cannot be put into the common order.
    do {
      const results = await Promise.all(
        Array.from({ length: 10 }, async (_, index) => {
          const [first, second] = index % 2 === 0 ? (['a', 'b'] as const) : (['b', 'a'] as const);
          return await storage.commit(acme, [rename(first, ''), rename(second, ''), rename(first, `${index}`)]);
        }),
      );
      for (const result of results) expect(result).toEqual(done);
      commits += results.length;
    } while ((await deadlocks()) === 0);
    const [a, b] = await Promise.all([storage.get(acme, 'functions', 'a'), storage.get(acme, 'functions', 'b')]);
    expect((a?.revision ?? 0) + (b?.revision ?? 0)).toBe(2 + 3 * commits);
  });

  it.each([false, true])(
    'a broken connection fails the commit, which is whole or not at all (arrived: %s)',
    async (arrived) => {
      // The first packets of a connection are its start and its settings; every commit has two.
      const ids = ['one', 'two', 'three', 'four'];
      for (let at = 3; at < 8; at += 1) {
        const proxy = await severingProxy(database.url, at, arrived);
        const storage = await open({ poolSize: 1 }, proxy.url).catch(() => undefined);
        const outcomes = new Map<string, CommitResult | undefined>();
        for (const id of ids) {
          const writes = [insertFunction(`${at}_${id}_a`), insertFunction(`${at}_${id}_b`)];
          outcomes.set(id, await storage?.commit(acme, writes).catch(failedAsGone));
        }
        const acknowledged = [...outcomes.values()].filter((outcome) => outcome?.done === true);
        expect(acknowledged.length).toBeGreaterThanOrEqual(storage === undefined ? 0 : 3);
        for (const id of ids) {
          const halves = await database.query(`SELECT id FROM functions WHERE id LIKE '${at}\\_${id}\\__'`);
          expect(outcomes.get(id)?.done === true ? [2] : [0, 2]).toContain(halves.length);
        }
        await storage?.stop();
        await proxy.close();
      }
    },
  );

  it('health fails for a server that only reads', async () => {
    const storage = await open();
    const { name } = database;
    const elsewhere = await postgres.createDatabase();
    const breakAll = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`;
    await elsewhere.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await elsewhere.query(breakAll);
    let health = await storage.health();
    while (health.detail?.includes('broken') === true) health = await storage.health();
    expect(health).toEqual({ status: 'fail', detail: 'the server takes no writes' });
    expect(await failureOf(storage.commit(acme, [insertFunction('x')]))).toMatchObject(gone);
    await elsewhere.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await elsewhere.query(breakAll);
    health = await storage.health();
    while (health.detail?.includes('broken') === true) health = await storage.health();
    expect(health).toEqual({ status: 'pass' });
  });

  it('a value that does not fit its column throws a TypeError', async () => {
    const storage = await open();
    for (const createdAt of ['yesterday', 'infinity', '2026-02-30T00:00:00.000Z']) {
      await expect(storage.commit(acme, [insertFunction('x', { createdAt })])).rejects.toThrow(TypeError);
    }
    expect(await storage.get(acme, 'functions', 'x')).toBeUndefined();
    expect(await storage.commit(acme, [insertFunction('x')])).toEqual(done);
  });

  it('start fails with the cause and without the password', async () => {
    const wrong = [
      ['postgresql://patchbay:open-sesame@127.0.0.1:1/x', /nothing accepts connections there/],
      ['postgresql://patchbay:open-sesame@no-such-host.invalid/x', /host/],
      [database.url.replace(database.name, 'nowhere'), /there is no such database/],
      [database.url.replace('postgres@', 'stranger:open-sesame@'), /refuses this user/],
    ] as const;
    for (const [url, reason] of wrong) {
      const error = await openStorage(url).then(
        () => undefined,
        (failure: unknown) => failure as Error,
      );
      expect(error?.message).toMatch(reason);
      expect(error?.message).not.toContain('open-sesame');
    }
  });
});

function failedAsGone(error: unknown): undefined {
  expect(error).toMatchObject(gone);
  return undefined;
}
