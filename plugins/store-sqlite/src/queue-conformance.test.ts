import { queueConformance, storageQueueSubject } from '@patchbay/testing';
import { afterAll, describe, it } from 'vitest';
import { temporaryStorages } from './test-support/temporary-storage.ts';

const storages = temporaryStorages();
afterAll(() => storages.stop());

// The queue of the core keeps its jobs in this store.
queueConformance(
  { describe, it },
  { create: async () => storageQueueSubject(await storages.create()), capabilities: ['durable'] },
);
