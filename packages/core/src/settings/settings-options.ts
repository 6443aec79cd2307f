import { intervalPattern } from '@patchbay/contracts/base/interval';
import { type OptionSchema, option } from '@patchbay/contracts/config-schema';
import { contentLevels } from '@patchbay/contracts/content';
import { repeatedStatuses } from '@patchbay/contracts/function-settings';
import { modelCapabilities } from '@patchbay/contracts/provider';
import { optimizations } from '@patchbay/contracts/router';

/** The label that calls use unless the config names another. */
export const DEFAULT_LABEL = 'production';

const strings = { type: 'array', items: { type: 'string', minLength: 1 } } as const satisfies OptionSchema;

/** The settings of functions in a config. */
export const settingsOptions = {
  type: 'object',
  properties: {
    model: option('string', 'The model, such as `openai/gpt-5`, or `auto`.', { minLength: 1 }),
    routing: {
      type: 'object',
      properties: {
        capabilities: {
          type: 'array',
          description: 'Required capabilities of the model.',
          items: { type: 'string', enum: modelCapabilities },
        },
        optimize: option('string', 'Criterion for selecting a model.', { enum: optimizations }),
        maxPrice: option(
          'number',
          'Maximum price in USD per 1,000,000 tokens, for both prompt and completion tokens.',
          { minimum: 0 },
        ),
        providers: {
          type: 'object',
          properties: {
            allow: { ...strings, description: 'Allowed providers. Default: all.' },
            deny: { ...strings, description: 'Excluded providers.' },
          },
        },
        explore: option('boolean', 'Whether a router that learns may try other models than the best. Default: true.'),
        fallbacks: { ...strings, description: 'Models to fall back to, in order, when the first one fails.' },
      },
    },
    system: { type: 'string', description: 'The system prompt.' },
    prompt: { type: 'string', description: 'The prompt; `{{input.text}}` inserts a member of the input.' },
    temperature: option('number', 'Sampling temperature: lower values are more deterministic.', {
      minimum: 0,
      maximum: 2,
    }),
    topP: option('number', 'Nucleus sampling: share of probability mass to sample from.', { minimum: 0, maximum: 1 }),
    maxTokens: option('integer', 'Tokens that the answer may have.', { minimum: 1 }),
    frequencyPenalty: option('number', 'Penalizes tokens by how often they have appeared.', {
      minimum: -2,
      maximum: 2,
    }),
    presencePenalty: option('number', 'Penalizes tokens that have appeared at all.', { minimum: -2, maximum: 2 }),
    repairs: option('integer', 'How often a completion that does not match the schema is requested again.', {
      minimum: 0,
      maximum: 5,
    }),
    cacheSeconds: option('integer', 'Seconds to cache a completion for the same input. Default: no caching.', {
      minimum: 0,
      maximum: 2_592_000,
    }),
    metrics: {
      type: 'object',
      description: 'Metrics of feedback, by name. `score` exists without being declared.',
      additionalProperties: {
        type: 'object',
        properties: {
          optimize: option('string', 'Whether more is better, or less. Default: the metric is only recorded.', {
            enum: ['max', 'min'],
          }),
          weight: option('number', 'Share in the choice of a model. Default: 1.', { minimum: 0, maximum: 1_000 }),
        },
      },
    },
    retry: {
      type: 'object',
      description: 'Repetition of asynchronous executions and those of schedules.',
      required: ['attempts'],
      properties: {
        attempts: option('integer', 'Number of runs, with the first one.', { minimum: 1, maximum: 20 }),
        backoff: option('string', 'Interval before the second run, doubled before each further one. Default: `1s`.', {
          pattern: intervalPattern,
          $comment: 'must be a whole number and a unit, such as 90s, 5m, 1h or 7d',
        }),
        on: {
          type: 'array',
          description: 'Statuses after which a run is repeated. Default: all.',
          items: { type: 'string', enum: repeatedStatuses },
        },
      },
    },
    timeoutMs: option('integer', 'Milliseconds that the code may run: at most those of `executions`.', {
      minimum: 1,
      maximum: 900_000,
    }),
    memoryMb: option('integer', 'Megabytes of memory that the code may use: at most those of the executor.', {
      minimum: 16,
      maximum: 8_192,
    }),
    concurrency: {
      type: 'object',
      description: 'Executions of the function that run at the same time.',
      required: ['limit'],
      properties: {
        limit: option('integer', 'Number of executions.', { minimum: 1, maximum: 100 }),
        by: option('string', 'Property of the input whose values are counted separately.', { minLength: 1 }),
      },
    },
    rateLimit: {
      type: 'object',
      description: 'How often the function runs.',
      required: ['requests', 'seconds', 'burst'],
      properties: {
        requests: option('integer', 'Runs, refilled per `seconds`.', { minimum: 1, maximum: 1_000_000 }),
        seconds: option('integer', 'See `requests`.', { minimum: 1, maximum: 86_400 }),
        burst: option('integer', 'Maximum number of runs at once.', { minimum: 1, maximum: 1_000_000 }),
      },
    },
    content: option(
      'string',
      'The most that is stored of the content of calls. Default, and at most: `callRecords.content`.',
      {
        enum: contentLevels,
      },
    ),
    mcp: {
      type: 'object',
      properties: {
        expose: option('boolean', 'Whether the function is a tool of the MCP endpoint. Default: yes.', {}),
        task: option('boolean', 'Whether its calls are tasks, for agents that know tasks. Default: no.', {}),
      },
    },
  },
} as const satisfies OptionSchema;
