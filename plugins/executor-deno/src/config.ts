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
      description: 'Isolation levels of individual functions; the first matching entry wins.',
      items: {
        type: 'object',
        properties: {
          match: {
            type: 'array',
            items: { type: 'string', minLength: 1 },
            description: 'Ids or names of functions; `*` matches any characters.',
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
      description: 'Number of warm processes with `fresh` and `reuse`. Default: twice the number of cores, 8 at most.',
    },
    primed: {
      type: 'integer',
      default: 0,
      minimum: 0,
      maximum: 100,
      description: 'Number of warm processes with the code of frequently run functions already loaded, with `fresh`.',
    },
    reuseRuns: {
      type: 'integer',
      default: 10_000,
      minimum: 1,
      maximum: 1_000_000,
      description: 'Maximum number of executions per process, with `reuse`.',
    },
    reuseIdleMs: {
      type: 'integer',
      default: 60_000,
      minimum: 100,
      maximum: 3_600_000,
      description: 'Maximum idle time of a process in milliseconds, with `reuse`.',
    },
    reuseProcesses: {
      type: 'integer',
      default: 16,
      minimum: 1,
      maximum: 1000,
      description: 'Maximum number of idle processes, with `reuse`.',
    },
    jail: {
      type: 'string',
      enum: ['auto', 'bwrap', 'unshare', 'setpriv', 'none'],
      default: 'auto',
      description: "Jail around a process, in addition to Deno's permissions; `auto` uses the strongest one available.",
    },
    minJail: {
      type: 'string',
      enum: ['bwrap', 'unshare', 'setpriv', 'none'],
      default: 'none',
      description: 'Weakest jail to accept; otherwise the server fails to start.',
    },
    memoryMb: {
      type: 'integer',
      default: 128,
      minimum: 16,
      maximum: 4096,
      description: 'Maximum JavaScript heap of a function in megabytes.',
    },
    offHeapMb: {
      type: 'integer',
      default: 128,
      minimum: 32,
      maximum: 4096,
      description: 'Maximum memory of a function outside the heap (buffers, WebAssembly) in megabytes. Linux only.',
    },
    cpuSeconds: {
      type: 'integer',
      default: 10,
      minimum: 1,
      maximum: 3600,
      description: 'Maximum CPU time of an execution in seconds, across all threads. Linux only.',
    },
    maxConcurrent: {
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      description: 'Maximum number of concurrent executions. Default: twice the number of cores.',
    },
    queueTimeoutMs: {
      type: 'integer',
      default: 2000,
      minimum: 0,
      maximum: 60_000,
      description: 'Milliseconds an execution may wait for a slot before it fails with `overloaded`.',
    },
    maxQueued: {
      type: 'integer',
      default: 1000,
      minimum: 0,
      maximum: 100_000,
      description: 'Maximum number of waiting executions; beyond it, executions fail immediately.',
    },
    typeCheck: {
      type: 'string',
      enum: ['error', 'warn', 'off'],
      default: 'error',
      description:
        'How type errors in TypeScript code are handled when a function is saved: rejected, logged or ignored.',
    },
    imports: {
      type: 'object',
      additionalProperties: {
        type: 'string',
        pattern: '^\\d+\\.\\d+\\.\\d+\\S*$',
        $comment: 'must be an exact version such as 1.2.3',
      },
      description: 'Packages functions may import, each with its exact installed version.',
    },
    denoPath: {
      type: 'string',
      minLength: 1,
      description: 'Path of a Deno binary to use instead of the one from npm.',
    },
  },
} as const satisfies ConfigSchema;

export type ExecutorConfig = ConfigOf<typeof configSchema>;

export type Isolation = ExecutorConfig['isolation'];
