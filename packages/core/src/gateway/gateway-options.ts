import type { OptionSchema } from '../contracts/config-schema.ts';
import { modelCapabilities } from '../contracts/provider.ts';

const model = {
  type: 'object',
  properties: {
    capabilities: {
      type: 'array',
      items: { type: 'string', enum: modelCapabilities },
      description: 'What the model can do.',
    },
    maxTokens: { type: 'integer', description: 'Tokens that one answer may have.', minimum: 1 },
    contextWindow: { type: 'integer', description: 'Tokens that question and answer may have together.', minimum: 1 },
    dimensions: { type: 'integer', description: 'Numbers in an embedding.', minimum: 1 },
    pricing: {
      type: 'object',
      description: 'USD per 1,000,000 tokens.',
      properties: {
        input: { type: 'number', minimum: 0, description: 'USD per 1,000,000 tokens of the question.' },
        output: { type: 'number', minimum: 0, description: 'USD per 1,000,000 tokens of the answer.' },
        cacheRead: {
          type: 'number',
          minimum: 0,
          description: 'The same of input read from the cache of the vendor. Default: `input`.',
        },
        cacheWrite: {
          type: 'number',
          minimum: 0,
          description: 'The same of input written into that cache. Default: `input`.',
        },
      },
      required: ['input', 'output'],
    },
    quality: {
      type: 'number',
      description: 'How good the model is, from 0 to 1, for the router.',
      minimum: 0,
      maximum: 1,
    },
    lastResort: { type: 'boolean', description: 'Chosen automatically only where nothing else is left.' },
  },
} as const satisfies OptionSchema;

/** The section `gateway` of a config. */
export const gatewayOptions = {
  type: 'object',
  reload: true,
  default: {},
  properties: {
    timeoutMs: {
      type: 'integer',
      description: 'Milliseconds for one request to models, all that are tried for it together.',
      minimum: 1,
      maximum: 3_600_000,
      default: 600_000,
    },
    models: {
      type: 'object',
      description: 'What you know better than the tables of the providers, by model id.',
      additionalProperties: model,
    },
  },
} as const satisfies OptionSchema;
