import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Storage } from '@patchbay/core/storage';
import type { ConnectionOptions } from '../connect.ts';
import { SqliteStorage } from '../sqlite-storage.ts';

type Startable = Storage & Required<Pick<Storage, 'start' | 'stop' | 'health'>>;

/** A started and migrated storage in a folder of its own, for tests and measurements. */
export async function temporaryStorage(options: Partial<ConnectionOptions> = {}) {
  return await temporaryStorageOf((given) => new SqliteStorage(given), options);
}

/** The same of another class of storage. */
export async function temporaryStorageOf<S extends Startable>(
  create: (options: ConnectionOptions) => S,
  options: Partial<ConnectionOptions> = {},
) {
  const directory = await mkdtemp(join(tmpdir(), 'patchbay-sqlite-'));
  const file = join(directory, 'patchbay.db');
  const open = async () => {
    const storage = create({ file, busyTimeoutMs: 5_000, cacheMegabytes: 16, maxMegabytes: undefined, ...options });
    await storage.start(new AbortController().signal);
    return storage;
  };
  let storage = await open();
  await storage.migrate();
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
