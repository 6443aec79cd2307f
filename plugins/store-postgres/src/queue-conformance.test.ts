import { missingPostgres } from '@patchbay/postgres-for-tests';
import { queueConformance, storageQueueSubject } from '@patchbay/testing';
import { afterAll, describe, it } from 'vitest';
import { temporaryStorages } from './test-support/temporary-storage.ts';

const missing = missingPostgres();
const storages = temporaryStorages();
afterAll(() => storages.stop());

// The queue of the core keeps its jobs in this store.
describe.skipIf(missing !== undefined)(`on PostgreSQL${missing === undefined ? '' : ` (${missing})`}`, () => {
  queueConformance(
    { describe, it },
    { create: async () => storageQueueSubject(await storages.create()), capabilities: ['durable'] },
  );
});
