import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { tenantId } from '@patchbay/core/plugin';
import { migrations } from '@patchbay/store-typeorm/migrations';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect, loadBetterSqlite3 } from './better-sqlite3.ts';
import { betterSqlite3 } from './better-sqlite3-driver.ts';
import { SqliteStorage } from './sqlite-storage.ts';
import { functionRow } from './test-support/function-row.ts';

const acme = tenantId('acme');
const query = { sort: 'name', order: 'asc', limit: 1 } as const;
let directory: string;
let file: string;
let children: ChildProcess[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'patchbay-sqlite-'));
  file = join(directory, 'patchbay.db');
  children = [];
});

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
});

function storage(busyTimeoutMs = 5_000, driver = betterSqlite3()): SqliteStorage {
  return new SqliteStorage({ file, busyTimeoutMs, cacheMegabytes: 1, maxMegabytes: undefined }, driver);
}

/** Another process that opens the file, migrates, and inserts so many rows; what it prints, line by line. */
function otherProcess(prefix: string, rows: number) {
  const script = new URL('./test-support/writer-process.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, ['--conditions=source', script, file, prefix, String(rows)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  return {
    firstLine: once(lines, 'line').then(([line]) => String(line)),
    async finished() {
      const [code] = (await exited) as [number | null];
      expect(code).toBe(0);
    },
  };
}

describe('two processes on one file', () => {
  it('two processes on one file migrate one after the other', async () => {
    const processes = [otherProcess('a', 1), otherProcess('b', 1), otherProcess('c', 1)];
    const migrated = await Promise.all(processes.map(({ firstLine }) => firstLine));
    expect([...migrated].sort()).toEqual(['migrated 0', 'migrated 0', `migrated ${migrations.length}`]);
    await Promise.all(processes.map((process) => process.finished()));
  });

  it('two processes on one file write beside each other and lose nothing', async () => {
    const here = storage();
    await here.start(AbortSignal.timeout(10_000));
    await here.migrate();
    const there = otherProcess('there', 300);
    await there.firstLine;
    const results = await Promise.all(
      Array.from({ length: 300 }, (_, index) =>
        here.commit(acme, [{ insert: 'functions', row: functionRow(`here_${index}`) }]),
      ),
    );
    expect(results.every((result) => result.done)).toBe(true);
    await there.finished();
    expect((await here.list(acme, 'functions', query)).total).toBe(600);
    expect(await here.scanAllTenants('functions', {}, 1_000)).toHaveLength(600);
    await here.stop();
  });
});

describe('a lock that another process holds', () => {
  it('delays the start on a new file, which SQLite does not wait for', async () => {
    const other = new (loadBetterSqlite3())(file, { readonly: false, timeout: 0 });
    other.exec('PRAGMA user_version = 1; BEGIN IMMEDIATE');
    const driver = betterSqlite3();
    let refused = 0;
    const here = storage(5_000, {
      ...driver,
      open: (options) =>
        driver.open(options).catch((error: unknown) => {
          refused += 1;
          other.exec('COMMIT');
          throw error;
        }),
    });
    await here.start(AbortSignal.timeout(10_000));
    expect(refused).toBe(1);
    other.close();
    await here.stop();
  });

  it('delays commits without holding up the process, and then they go through', async () => {
    const here = storage();
    await here.start(AbortSignal.timeout(10_000));
    await here.migrate();
    const database = connect({ file, busyTimeoutMs: 0, cacheMegabytes: 1, maxMegabytes: undefined }, 'write');
    database.prepare('BEGIN IMMEDIATE').run([]);
    let settled = false;
    const commits = Promise.all(
      ['a', 'b'].map((id) => here.commit(acme, [{ insert: 'functions', row: functionRow(id) }])),
    ).finally(() => {
      settled = true;
    });
    // Reads go on, and so do timers: a call that waited within SQLite would let neither run.
    for (let round = 0; round < 20; round += 1) {
      expect((await here.list(acme, 'functions', query)).total).toBe(0);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(settled).toBe(false);
    database.prepare('COMMIT').run([]);
    expect(await commits).toEqual([{ done: true }, { done: true }]);
    database.close();
    await here.stop();
  });

  it('fails commits when it takes too long, which shows in the health', async () => {
    const here = storage(20);
    await here.start(AbortSignal.timeout(10_000));
    await here.migrate();
    const database = connect({ file, busyTimeoutMs: 0, cacheMegabytes: 1, maxMegabytes: undefined }, 'write');
    // Without something to do, a migration needs no lock.
    const last = 'SELECT MAX("timestamp") FROM "migrations"';
    database.prepare(`UPDATE "migrations" SET "name" = '-' || "name" WHERE "timestamp" = (${last})`).run([]);
    database.prepare('BEGIN IMMEDIATE').run([]);
    const commits = ['a', 'b'].map((id) => here.commit(acme, [{ insert: 'functions', row: functionRow(id) }]));
    for (const settled of await Promise.allSettled(commits)) {
      expect(settled).toMatchObject({ status: 'rejected', reason: { code: 'storage_unavailable' } });
    }
    await expect(here.migrate()).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(await here.health()).toEqual({
      status: 'fail',
      detail: 'another process holds the lock of the database (SQLITE_BUSY)',
    });
    database.prepare('ROLLBACK').run([]);
    database.prepare(`UPDATE "migrations" SET "name" = substr("name", 2) WHERE "timestamp" = (${last})`).run([]);
    expect(await here.health()).toEqual({ status: 'pass' });
    expect(await here.commit(acme, [{ insert: 'functions', row: functionRow('a') }])).toEqual({ done: true });
    database.close();
    await here.stop();
  });
});
