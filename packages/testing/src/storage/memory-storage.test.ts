import { createMemoryStorage } from '@patchbay/core/storage';
import { describe, it } from 'vitest';
import { storageConformance } from './storage-conformance.ts';

// Beside the suite and not beside its subject: the core does not depend on this package.
storageConformance(
  { describe, it },
  {
    async create() {
      return { storage: createMemoryStorage(), dispose: async () => {} };
    },
    capabilities: ['ordered'],
  },
);
