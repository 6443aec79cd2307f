import { openPostgres, type TestDatabase, type TestPostgres } from '@patchbay/postgres-for-tests';
import { Client } from 'pg';
import { type ConnectOptions, driverAddress } from '../connect.ts';
import { PostgresStorage } from '../postgres-storage.ts';

/** Options of a storage over this database. */
export function optionsFor(url: string, options: Partial<ConnectOptions> = {}): ConnectOptions {
  return {
    address: driverAddress({ url }),
    poolSize: 5,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 10_000,
    lockTimeoutMs: 5_000,
    applicationName: 'patchbay-test',
    ...options,
  };
}

export async function openStorage(url: string, options: Partial<ConnectOptions> = {}): Promise<PostgresStorage> {
  const storage = new PostgresStorage(optionsFor(url, options));
  await storage.start(new AbortController().signal);
  return storage;
}

/**
 * Started, migrated and empty storages for the tests of a file. Databases are emptied and used again, with the storage that
 * is connected to one.
 */
export function temporaryStorages() {
  let postgres: Promise<TestPostgres> | undefined;
  const free: { readonly database: TestDatabase; readonly storage: PostgresStorage; readonly cleaner: Client }[] = [];

  const fresh = async (options: Partial<ConnectOptions>) => {
    postgres ??= openPostgres();
    const database = await (await postgres).createDatabase();
    const storage = await openStorage(database.url, options);
    await storage.migrate();
    // Kept as long as the database: a new connection reads the catalog of every table again, which costs more than a test.
    const cleaner = new Client({ connectionString: database.url });
    await cleaner.connect();
    return { database, storage, cleaner };
  };

  return {
    /** @param options The same for all storages of a file. */
    async create(options: Partial<ConnectOptions> = {}) {
      const found = free.pop() ?? (await fresh(options));
      const { database, cleaner } = found;
      let { storage } = found;
      return {
        get storage() {
          return storage;
        },
        database,
        async reopen() {
          await storage.stop();
          storage = await openStorage(database.url, options);
          return storage;
        },
        async dispose() {
          await cleaner.query(deleteEverything);
          free.push({ database, storage, cleaner });
        },
      };
    },
    async stop() {
      for (const { storage, cleaner } of free.splice(0)) {
        await storage.stop();
        await cleaner.end();
      }
      await (await postgres)?.stop();
    },
  };
}

const deleteEverything = `
DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations' LOOP
    EXECUTE format('DELETE FROM %I', name);
  END LOOP;
END $$`;
