import type { Storage } from '@patchbay/core/storage';
import { missingPostgres } from '@patchbay/postgres-for-tests';
import { queueConformance, storageConformance, storageQueueSubject } from '@patchbay/testing';
import { afterAll, describe, it } from 'vitest';
import type { PostgresStorage } from './postgres-storage.ts';
import { onlyTopics } from './test-support/only-topics.ts';
import { openStorage, temporaryStorages } from './test-support/temporary-storage.ts';

const missing = missingPostgres();
const storages = temporaryStorages();
/** Two further servers over each database. */
const others = new Map<string, readonly PostgresStorage[]>();
afterAll(async () => {
  for (const server of [...others.values()].flat()) await server.stop();
  await storages.stop();
});

/** Three servers over one database, each with its own connections: every call goes to the next one. */
async function severalServers() {
  // 1,000 commits at once wait for a few connections; on a machine with other work that takes a while.
  const options = { connectTimeoutMs: 60_000 };
  const first = await storages.create(options);
  const { url } = first.database;
  const further = others.get(url) ?? [await openStorage(url, options), await openStorage(url, options)];
  others.set(url, further);
  const servers = [first.storage, ...further];
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
  return { storage: rotating, dispose: () => first.dispose() };
}

describe.skipIf(missing !== undefined)(`several servers${missing === undefined ? '' : ` (${missing})`}`, () => {
  // Of the suites, what is about many at once.
  storageConformance(onlyTopics({ describe, it }, ['storage', 'atomicity', 'concurrency']), { create: severalServers });
  const ofQueues = ['queue', 'delivery', 'deduplication', 'leases', 'concurrency', 'fairness', 'a job in a commit'];
  queueConformance(onlyTopics({ describe, it }, ofQueues), {
    create: async () => storageQueueSubject(await severalServers()),
  });
});
