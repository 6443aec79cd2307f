import type { ConfigOf, ConfigSchema } from '@patchbay/core/plugin';

const isolations = ['fresh', 'reuse', 'cold'] as const;

/** Options of the plugin. */
export const configSchema = {
  properties: {
    isolation: {
      type: 'string',
      enum: isolations,
      default: 'fresh',
      description:
        'What an execution shares: nothing, in a process that has waited for it (`fresh`) or is started for it (`cold`), or a process with earlier executions of the same function for the same tenant (`reuse`).',
    },
    functions: {
      type: 'array',
      description: 'Functions with an isolation of their own; the first entry that names a function counts.',
      items: {
        type: 'object',
        properties: {
          match: {
            type: 'array',
            items: { type: 'string', minLength: 1 },
            description: 'Ids or names of functions; `*` stands for any characters.',
          },
          isolation: { type: 'string', enum: isolations, description: 'As above.' },
        },
        required: ['match', 'isolation'],
      },
    },
    spares: {
      type: 'integer',
      minimum: 1,
      maximum: 100,
      description: 'Processes that wait, with `fresh` and `reuse`. Default: twice the number of cores, 8 at most.',
    },
    primed: {
      type: 'integer',
      default: 0,
      minimum: 0,
      maximum: 100,
      description: 'Processes that wait with the code of functions that run often already loaded, with `fresh`.',
    },
    reuseRuns: {
      type: 'integer',
      default: 1000,
      minimum: 1,
      maximum: 1_000_000,
      description: 'Executions that one process serves at most, with `reuse`.',
    },
    reuseIdleMs: {
      type: 'integer',
      default: 60_000,
      minimum: 100,
      maximum: 3_600_000,
      description: 'Milliseconds that a process waits for its next execution at most, with `reuse`.',
    },
    reuseProcesses: {
      type: 'integer',
      default: 16,
      minimum: 1,
      maximum: 1000,
      description: 'Processes that wait for their next execution at most, with `reuse`.',
    },
    jail: {
      type: 'string',
      enum: ['auto', 'bwrap', 'unshare', 'setpriv', 'none'],
      default: 'auto',
      description: "What stands around a process beside Deno's permissions; `auto`: the best that works here.",
    },
    minJail: {
      type: 'string',
      enum: ['bwrap', 'unshare', 'setpriv', 'none'],
      default: 'none',
      description: 'The server does not start with less than this.',
    },
    memoryMb: {
      type: 'integer',
      default: 128,
      minimum: 16,
      maximum: 4096,
      description: 'Megabytes of JavaScript heap that a function may use.',
    },
    offHeapMb: {
      type: 'integer',
      default: 128,
      minimum: 32,
      maximum: 4096,
      description: 'Megabytes that a function may use outside the heap: buffers, WebAssembly. Linux only.',
    },
    cpuSeconds: {
      type: 'integer',
      default: 10,
      minimum: 1,
      maximum: 3600,
      description: 'Seconds of CPU time that an execution may use, all threads together. Linux only.',
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
    maxQueued: {
      type: 'integer',
      default: 1000,
      minimum: 0,
      maximum: 100_000,
      description: 'Executions that wait for their turn at most; the next one is refused at once.',
    },
    typeCheck: {
      type: 'string',
      enum: ['error', 'warn', 'off'],
      default: 'error',
      description: 'What a type error in TypeScript code does when a function is saved: refuse it, log it, or nothing.',
    },
    imports: {
      type: 'object',
      additionalProperties: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+\\S*$' },
      description: 'Packages that functions may import, with the exact version that is installed of each.',
    },
    denoPath: { type: 'string', minLength: 1, description: 'A Deno to use instead of the one from npm.' },
  },
} as const satisfies ConfigSchema;

export type ExecutorConfig = ConfigOf<typeof configSchema>;

export type Isolation = ExecutorConfig['isolation'];
