import { storageConformance } from '@patchbay/testing';
import { describe, it } from 'vitest';
import plugin from './index.ts';
import { temporaryStorage } from './test-support/temporary-storage.ts';

storageConformance(
  { describe, it },
  { create: () => temporaryStorage(), capabilities: plugin.definition.capabilities ?? [] },
);
