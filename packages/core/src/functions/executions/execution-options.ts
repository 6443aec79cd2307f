import type { OptionSchema, OptionValue } from '../../contracts/config-schema.ts';

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
