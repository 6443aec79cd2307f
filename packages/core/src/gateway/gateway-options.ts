import type { OptionSchema } from '../contracts/config-schema.ts';
import { modelOptions } from '../provider-kit/model-options.ts';

const known = modelOptions.items.properties;

const model = {
  type: 'object',
  properties: {
    capabilities: { ...known.capabilities, description: 'What the model can do.' },
    maxTokens: known.maxTokens,
    contextWindow: known.contextWindow,
    dimensions: known.dimensions,
    pricing: known.pricing,
    quality: { ...known.quality, description: 'How good the model is, from 0 to 1, for the router.' },
    lastResort: known.lastResort,
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
