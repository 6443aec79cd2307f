import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Storage } from '@patchbay/core/storage';
import { betterSqlite3 } from '../better-sqlite3-driver.ts';
import type { ConnectionOptions } from '../driver.ts';
import { SqliteStorage } from '../sqlite-storage.ts';
import { WriterThread } from '../writer-thread.ts';

type Startable = Storage & Required<Pick<Storage, 'start' | 'stop' | 'health'>>;

/** A started and migrated storage in a fresh folder, for tests and measurements. */
export async function temporaryStorage(options: Partial<ConnectionOptions> = {}) {
  return await temporaryStorageOf((given) => new SqliteStorage(given), options);
}

/** Storages in separate folders that are copies of one empty and migrated file, for suites that need many. One thread writes to all. */
export function temporaryStorages() {
  const thread = new WriterThread();
  const driver = betterSqlite3(thread);
  const template = temporaryStorage().then(async ({ storage, ...rest }) => {
    await storage.stop();
    return rest;
  });
  return {
    async create() {
      const { file } = await template;
      return await temporaryStorageOf((given) => new SqliteStorage(given, driver), {}, file);
    },
    async stop() {
      await (await template).dispose();
      await thread.end();
    },
  };
}

/**
 * The same of another class of storage.
 *
 * @param template A migrated file that it starts as a copy of.
 */
export async function temporaryStorageOf<S extends Startable>(
  create: (options: ConnectionOptions) => S,
  options: Partial<ConnectionOptions> = {},
  template?: string,
) {
  const directory = await mkdtemp(join(tmpdir(), 'patchbay-sqlite-'));
  const file = join(directory, 'patchbay.db');
  // With its journal, which may have all of it.
  if (template !== undefined) await cp(dirname(template), directory, { recursive: true });
  const open = async () => {
    const storage = create({ file, busyTimeoutMs: 5_000, cacheMegabytes: 16, maxMegabytes: undefined, ...options });
    await storage.start(new AbortController().signal);
    return storage;
  };
  let storage = await open();
  if (template === undefined) await storage.migrate();
  return {
    storage,
    file,
    reopen: async () => {
      await storage.stop();
      storage = await open();
      return storage;
    },
    dispose: async () => {
      await storage.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
