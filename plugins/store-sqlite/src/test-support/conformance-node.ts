import { describe, it } from 'node:test';
import { storageConformance } from '@patchbay/testing';
import { temporaryStorage } from './temporary-storage.ts';

storageConformance(
  {
    describe(name, body) {
      void describe(name, body);
    },
    it(name, body) {
      void it(name, body);
    },
  },
  { create: () => temporaryStorage(), capabilities: ['durable'] },
);
