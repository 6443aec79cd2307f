import { storageConformance } from '@patchbay/testing';
import { afterAll, describe, it } from 'vitest';
import plugin from './index.ts';
import { temporaryStorages } from './test-support/temporary-storage.ts';

const storages = temporaryStorages();
afterAll(() => storages.stop());

storageConformance(
  { describe, it },
  { create: () => storages.create(), capabilities: plugin.definition.capabilities ?? [] },
);
