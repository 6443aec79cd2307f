import { definePlugin } from '../contracts/define-plugin.ts';
import { services } from '../contracts/services.ts';
import { createStorageQueue } from './storage-queue.ts';

/** Keeps jobs in the storage that is mounted: as durable as that is. */
export const storageQueue = definePlugin({
  name: '@patchbay/core/storage-queue',
  kind: 'queue',
  version: 1,
  config: {
    properties: {
      pollMs: {
        type: 'integer',
        minimum: 10,
        maximum: 60_000,
        default: 1_000,
        description: 'Milliseconds between two looks for jobs of other processes, and for those whose time has come.',
      },
    },
  },
  deps: { storage: services.storage, clock: services.clock },
  create: ({ config, deps, logger }) => createStorageQueue({ ...deps, logger, pollMs: config.pollMs }),
});
