import type { OptionSchema, OptionValue } from '../contracts/config-schema.ts';
import { dynamicCalls } from '../contracts/tenant-policy.ts';
import { DEFAULT_LABEL, settingsOptions } from '../settings/settings-options.ts';
import { grantOptions } from './host-calls/grants.ts';

/** The section `functions` of a config. */
export const functionOptions = {
  type: 'object',
  reload: true,
  default: {},
  properties: {
    maxCalls: {
      type: 'integer',
      description: 'Calls of its context (models, functions, network) that one execution may make.',
      minimum: 0,
      maximum: 10_000,
      default: 100,
    },
    fetch: {
      type: 'object',
      default: {},
      properties: {
        timeoutMs: {
          type: 'integer',
          description: 'Milliseconds for one `fetch` of a function, redirects included.',
          minimum: 1,
          maximum: 60_000,
          default: 10_000,
        },
        responseBytes: {
          type: 'integer',
          description: 'Bytes that the answer to one `fetch` of a function may have, unpacked.',
          minimum: 1,
          maximum: 16_777_216,
          default: 1_048_576,
        },
      },
    },
    grants: {
      type: 'array',
      description: 'Which functions may reach which hosts, with which secrets; what no entry gives, no function has.',
      items: grantOptions,
    },
    settings: {
      type: 'object',
      description: 'Settings by name of the function, or by a pattern such as `summarize*`. The later one wins.',
      additionalProperties: settingsOptions,
    },
    dynamicCalls: {
      type: 'string',
      enum: dynamicCalls,
      description: 'Which functions that nobody stored may be called by name: all, those with a declared output, none.',
      default: 'declared',
    },
    settingsLabel: {
      type: 'string',
      description: 'The label of the stored settings that calls go by.',
      pattern: '^[a-z][a-z0-9-]{0,39}$',
      default: DEFAULT_LABEL,
    },
  },
} as const satisfies OptionSchema;

/** The section `executions` of a config. */
export const executionOptions = {
  type: 'object',
  reload: true,
  default: {},
  properties: {
    timeoutMs: {
      type: 'integer',
      description: 'Milliseconds of wall time of one execution.',
      minimum: 1,
      maximum: 60_000,
      default: 10_000,
    },
    outputBytes: {
      type: 'integer',
      description: 'Bytes of JSON that an output may have.',
      minimum: 1,
      default: 1_048_576,
    },
    logBytes: {
      type: 'integer',
      description: 'Bytes of logs that are kept of an execution; a short line counts as 16.',
      minimum: 0,
      default: 65_536,
    },
    asyncTimeoutMs: {
      type: 'integer',
      description: 'Milliseconds of wall time of an execution that nobody waits for.',
      minimum: 1,
      maximum: 900_000,
      default: 60_000,
    },
    asyncConcurrency: {
      type: 'integer',
      description: 'Executions out of the queue that this process runs at the same time.',
      minimum: 1,
      maximum: 1_000,
      default: 2,
    },
    maxQueued: {
      type: 'integer',
      description: 'Executions of one tenant that may wait; one more is `concurrency_limited`.',
      minimum: 1,
      maximum: 1_000_000,
      default: 10_000,
    },
    maxAttempts: {
      type: 'integer',
      description: 'How often an execution out of the queue is started, where it is not the function that fails.',
      minimum: 1,
      maximum: 1_000,
      default: 10,
    },
    retryInterrupted: {
      type: 'boolean',
      description: 'Start an execution out of the queue once more when its server died or stopped.',
      default: false,
    },
    leaseMs: {
      type: 'integer',
      description: 'Milliseconds without a sign of life after which a process is taken for dead.',
      minimum: 1_000,
      maximum: 600_000,
      default: 15_000,
      reload: false,
    },
    keepDays: {
      type: 'integer',
      description: 'Days after which executions that have ended are deleted. Default: never.',
      minimum: 1,
      maximum: 36_500,
    },
  },
} as const satisfies OptionSchema;

export type ExecutionOptions = OptionValue<typeof executionOptions>;
