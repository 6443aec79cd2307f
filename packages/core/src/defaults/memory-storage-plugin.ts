import { definePlugin } from '../contracts/define-plugin.ts';
import { createMemoryStorage } from './memory-storage.ts';

/** Keeps everything in this process, and nothing beyond it. */
export const memoryStorage = definePlugin({
  name: '@patchbay/core/memory-storage',
  kind: 'storage',
  version: 1,
  config: { properties: {} },
  create: () => createMemoryStorage(),
});
