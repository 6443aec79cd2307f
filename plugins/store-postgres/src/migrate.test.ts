import {
  missingPostgres,
  openPostgres,
  type TestDatabase,
  type TestPostgres,
  urlVariable,
} from '@patchbay/postgres-for-tests';
import { migrations } from '@patchbay/store-typeorm/migrations';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from './migrate.ts';
import { severingProxy } from './test-support/severing-proxy.ts';
import { openStorage, optionsFor } from './test-support/temporary-storage.ts';

const names = migrations.map((Migration) => new Migration().name);
// Every place is a run of `scripts/sever-migrations.ts`.
const placesInTest = 12;

async function schemaOf(database: TestDatabase): Promise<unknown> {
  return await database.query(`
    SELECT table_name, column_name, data_type, is_nullable, collation_name FROM information_schema.columns
    WHERE table_schema = 'public' UNION ALL
    SELECT tablename, indexname, indexdef, '', '' FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1, 2`);
}

// The proxy knows the socket of a server from npm alone.
const isMissing = missingPostgres() !== undefined || process.env[urlVariable] !== undefined;

describe.skipIf(isMissing)('migrations', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await openPostgres();
  });
  afterAll(() => postgres.stop());

  it('migrations run once, in whichever process is first, and each is named', async () => {
    const { url } = await postgres.createDatabase();
    const ran = await Promise.all(Array.from({ length: 4 }, () => migrate(optionsFor(url))));
    expect(ran.filter((list) => list.length > 0)).toEqual([names]);
    expect(ran).toHaveLength(4);
  });

  it('migrations need one connection', async () => {
    const database = await postgres.createDatabase();
    await database.query(`CREATE ROLE lonely LOGIN CONNECTION LIMIT 1; GRANT ALL ON SCHEMA public TO lonely`);
    const url = database.url.replace('postgres@', 'lonely@');
    expect(await migrate(optionsFor(url))).toEqual(names);
    // The server's end of a connection goes a moment after ours.
    const sql = "SELECT COUNT(*) AS count FROM pg_stat_activity WHERE usename = 'lonely'";
    await expect.poll(async () => Number((await database.query(sql))[0]?.['count'])).toBe(0);
    const storage = await openStorage(url, { poolSize: 1 });
    expect((await storage.health()).status).toBe('pass');
    await storage.stop();
  });

  it('migrations leave nothing behind wherever they are cut off, and go through after that', async () => {
    const whole = await postgres.createDatabase();
    const untouched = await severingProxy(whole.url, 0);
    await migrate(optionsFor(untouched.url));
    await untouched.close();
    expect(untouched.packets).toBeGreaterThan(50);

    const database = await postgres.createDatabase();
    const step = Math.ceil(untouched.packets / placesInTest);
    let cut = 0;
    for (let at = 1; at < untouched.packets - 1; at += step) {
      const proxy = await severingProxy(database.url, at);
      await expect(migrate(optionsFor(proxy.url))).rejects.toThrow(/connection|terminated|ECONNRESET|EPIPE/i);
      await proxy.close();
      expect(await schemaOf(database)).toEqual([]);
      cut += 1;
    }
    expect(cut).toBeGreaterThanOrEqual(placesInTest - 1);
    expect(await migrate(optionsFor(database.url))).toEqual(names);
    expect(await schemaOf(database)).toEqual(await schemaOf(whole));
  });

  it('migrations wait for one that is cut off and let go by the server', async () => {
    const database = await postgres.createDatabase();
    const holder = database.query('SELECT pg_advisory_lock(8097881575290724729), pg_sleep(60)').catch(() => 'ended');
    const waits = async () =>
      (await database.query("SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted")).length > 0;
    while (!(await waits())) await new Promise(setImmediate);
    const migrating = migrate(optionsFor(database.url));
    await database.query("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted");
    expect(await holder).toBe('ended');
    expect(await migrating).toEqual(names);
  });

  it('a storage does not wait for the turn to migrate where its database has every migration', async () => {
    const database = await postgres.createDatabase();
    const storage = await openStorage(database.url);
    expect(await storage.migrate()).toEqual(names);
    const holder = new Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('SELECT pg_advisory_lock(8097881575290724729)');
    expect(await storage.migrate()).toEqual([]);
    expect(await storage.pendingMigrations()).toEqual([]);
    await storage.stop();
    expect(await storage.migrate()).toEqual([]);
    await holder.end();
  });

  it('migrations name what is in their way, and run beside tables of something else', async () => {
    const taken = await postgres.createDatabase();
    await taken.query('CREATE TABLE functions (a INTEGER)');
    await expect(migrate(optionsFor(taken.url))).rejects.toThrow('relation "functions" already exists');
    const foreign = await postgres.createDatabase();
    await foreign.query('CREATE TABLE migrations (id SERIAL, timestamp BIGINT, name TEXT)');
    await foreign.query("INSERT INTO migrations (timestamp, name) VALUES (1700000000000, 'Users1700000000000')");
    await expect(migrate(optionsFor(foreign.url))).rejects.toThrow(
      'the table of migrations is of something else: it has Users1700000000000, and none of this plugin',
    );
    const shared = await postgres.createDatabase();
    await shared.query('CREATE TABLE notes (b TEXT)');
    expect(await migrate(optionsFor(shared.url))).toEqual(names);
  });

  it('migrations refuse a database of a newer version', async () => {
    const database = await postgres.createDatabase();
    await migrate(optionsFor(database.url));
    await database.query("INSERT INTO migrations (timestamp, name) VALUES (9999999999999, 'Future9999999999999')");
    await expect(migrate(optionsFor(database.url))).rejects.toThrow('needs a newer version');
  });
});
