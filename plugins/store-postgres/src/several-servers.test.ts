import type { Storage } from '@patchbay/core/storage';
import { missingPostgres } from '@patchbay/postgres-for-tests';
import { queueConformance, storageConformance, storageQueueSubject } from '@patchbay/testing';
import { afterAll, describe, it } from 'vitest';
import { onlyTopics } from './test-support/only-topics.ts';
import { openStorage, temporaryStorages } from './test-support/temporary-storage.ts';

const missing = missingPostgres();
const storages = temporaryStorages();
afterAll(() => storages.stop());

/** Three servers over one database, each with connections of its own: every call goes to the next one. */
async function severalServers() {
  const first = await storages.create();
  const { url } = first.database;
  const servers = [first.storage, await openStorage(url), await openStorage(url)];
  let turn = 0;
  const next = (): Storage => {
    turn += 1;
    return servers[turn % servers.length] as Storage;
  };
  const rotating: Storage = {
    get: (...given) => next().get(...given),
    list: (...given) => next().list(...given),
    commit: (...given) => next().commit(...given),
    scanAllTenants: (...given) => next().scanAllTenants(...given),
    migrate: () => next().migrate(),
  };
  return {
    storage: rotating,
    async dispose() {
      for (const server of servers.slice(1)) await server.stop();
      await first.dispose();
    },
  };
}

describe.skipIf(missing !== undefined)(`several servers${missing === undefined ? '' : ` (${missing})`}`, () => {
  // Of the suite, what is about many at once.
  storageConformance(onlyTopics({ describe, it }, ['storage', 'atomicity', 'concurrency']), { create: severalServers });
  queueConformance({ describe, it }, { create: async () => storageQueueSubject(await severalServers()) });
});
