import { definePlugin } from '@patchbay/core/plugin';
import { DenoExecutor } from './deno-executor.ts';

/** Runs functions in Deno, each execution in a process of its own. */
export default definePlugin({
  name: '@patchbay/executor-deno',
  kind: 'executor',
  version: 1,
  capabilities: ['isolation', 'process-isolation', 'typescript'],
  config: {
    properties: {
      memoryMb: {
        type: 'integer',
        default: 128,
        minimum: 16,
        maximum: 4096,
        description: 'Megabytes of JavaScript heap that a function may use.',
      },
      maxConcurrent: {
        type: 'integer',
        minimum: 1,
        maximum: 1000,
        description: 'Functions that run at the same time. Default: twice the number of cores.',
      },
      queueTimeoutMs: {
        type: 'integer',
        default: 2000,
        minimum: 0,
        maximum: 60_000,
        description: 'Milliseconds that an execution waits for its turn before it is refused as `overloaded`.',
      },
      typeCheck: {
        type: 'string',
        enum: ['error', 'warn', 'off'],
        default: 'error',
        description:
          'What a type error in TypeScript code does when a function is saved: refuse it, log it, or nothing.',
      },
      denoPath: { type: 'string', minLength: 1, description: 'A Deno to use instead of the one from npm.' },
    },
  },
  create({ config, logger }) {
    return new DenoExecutor(config, logger);
  },
});
