import type { OptionSchema } from '../contracts/config-schema.ts';
import { modelOptions } from '../provider-kit/model-options.ts';

const known = modelOptions.items.properties;

const model = {
  type: 'object',
  properties: {
    capabilities: { ...known.capabilities, description: 'Capabilities of the model.' },
    maxTokens: known.maxTokens,
    contextWindow: known.contextWindow,
    dimensions: known.dimensions,
    pricing: known.pricing,
    quality: { ...known.quality, description: 'Quality of the model for the router, from 0 to 1.' },
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
      description: 'Timeout of a model request in milliseconds, across all attempts.',
      minimum: 1,
      maximum: 3_600_000,
      default: 600_000,
    },
    models: {
      type: 'object',
      description: 'Overrides of the provider catalogues, by model id.',
      additionalProperties: model,
    },
  },
} as const satisfies OptionSchema;
