import { queueConformance, storageQueueSubject } from '@patchbay/testing';
import { describe, it } from 'vitest';
import { temporaryStorage } from './test-support/temporary-storage.ts';

// The queue of the core keeps its jobs in this store.
queueConformance(
  { describe, it },
  { create: async () => storageQueueSubject(await temporaryStorage()), capabilities: ['durable'] },
);
