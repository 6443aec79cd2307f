import { type OptionSchema, type OptionValue, option } from '@patchbay/contracts/config-schema';
import { dynamicCalls } from '@patchbay/contracts/tenant-policy';
import { DEFAULT_LABEL, settingsOptions } from '../settings/settings-options.ts';
import { grantOptions } from './host-calls/grants.ts';

/** The section `functions` of a config. */
export const functionOptions = {
  type: 'object',
  reload: true,
  default: {},
  properties: {
    maxCalls: option('integer', 'Maximum number of host calls (models, functions, network) per execution.', {
      minimum: 0,
      maximum: 10_000,
      default: 100,
    }),
    fetch: {
      type: 'object',
      default: {},
      properties: {
        timeoutMs: option('integer', 'Timeout of one `fetch` of a function in milliseconds, including redirects.', {
          minimum: 1,
          maximum: 60_000,
          default: 10_000,
        }),
        responseBytes: option(
          'integer',
          'Maximum size of the response to one `fetch` of a function in bytes, decompressed.',
          { minimum: 1, maximum: 16_777_216, default: 1_048_576 },
        ),
      },
    },
    grants: {
      type: 'array',
      description:
        'Which functions may reach which hosts, with which secrets, and call which tools. Without an entry, a function has no access.',
      items: grantOptions,
    },
    settings: {
      type: 'object',
      description: 'Settings by function name, or by a pattern such as `summarize*`. Later entries win.',
      additionalProperties: settingsOptions,
    },
    dynamicCalls: {
      type: 'string',
      enum: dynamicCalls,
      description:
        'Which functions that are not stored may be called by name: all, those with a declared output, or none.',
      default: 'declared',
    },
    settingsLabel: {
      type: 'string',
      description: 'Label of the stored settings that calls use.',
      pattern: '^[a-z][a-z0-9-]{0,39}$',
      $comment: 'must be 1 to 40 of a to z, 0 to 9 and "-", a letter first',
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
    timeoutMs: option('integer', 'Timeout of an execution in milliseconds of wall time.', {
      minimum: 1,
      maximum: 60_000,
      default: 10_000,
    }),
    outputBytes: option('integer', 'Maximum size of an output in bytes of JSON.', { minimum: 1, default: 1_048_576 }),
    logBytes: option('integer', 'Maximum size of the logs stored per execution in bytes; a short line counts as 16.', {
      minimum: 0,
      default: 65_536,
    }),
    asyncTimeoutMs: option('integer', 'Timeout of an asynchronous execution in milliseconds of wall time.', {
      minimum: 1,
      maximum: 900_000,
      default: 60_000,
    }),
    asyncConcurrency: option('integer', 'Queued executions this process runs concurrently.', {
      minimum: 1,
      maximum: 1_000,
      default: 2,
    }),
    maxQueued: option(
      'integer',
      'Maximum number of queued executions per tenant; beyond it, requests fail with `concurrency_limited`.',
      { minimum: 1, maximum: 1_000_000, default: 10_000 },
    ),
    maxAttempts: option(
      'integer',
      'Maximum number of starts of a queued execution. Failures of the function itself are not retried.',
      { minimum: 1, maximum: 1_000, default: 10 },
    ),
    retryInterrupted: option('boolean', 'Start a queued execution again when its server crashed or stopped.', {
      default: false,
    }),
    leaseMs: option('integer', 'Milliseconds without a heartbeat after which the lease of a process expires.', {
      minimum: 1_000,
      maximum: 600_000,
      default: 15_000,
      reload: false,
    }),
    keepDays: option('integer', 'Days after which finished executions are deleted. Default: never.', {
      minimum: 1,
      maximum: 36_500,
    }),
  },
} as const satisfies OptionSchema;

export type ExecutionOptions = OptionValue<typeof executionOptions>;
