import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { storageConformance, testContext } from '@patchbay/testing';
import plugin from './index.ts';

storageConformance(
  { describe, it },
  {
    capabilities: plugin.definition.capabilities ?? [],
    async create() {
      const directory = await mkdtemp(join(tmpdir(), 'patchbay-storage-'));
      const open = async () => {
        const { logger } = testContext();
        const config = { file: 'patchbay.jsonl' };
        const storage = plugin.definition.create({ config, deps: {}, logger, mount: 'storage', directory });
        await storage.start?.(AbortSignal.timeout(10_000));
        return storage;
      };
      let storage = await open();
      return {
        storage,
        async reopen() {
          await storage.stop?.();
          storage = await open();
          return storage;
        },
        async dispose() {
          await storage.stop?.();
          await rm(directory, { recursive: true, force: true });
        },
      };
    },
  },
);
