import type { ConfigOf, OptionSchema } from '@patchbay/contracts/config-schema';
import { type ModelInfo, modelCapabilities, samplingNames } from '@patchbay/contracts/provider';

/** The option `models` of a provider: models that its catalogue lacks, or describes differently. */
export const modelOptions = {
  type: 'array',
  description: 'Models to add. An entry for a model of the catalogue overrides the members it contains.',
  items: {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 1, description: 'Name of the model at the server.' },
      capabilities: {
        type: 'array',
        items: {
          type: 'string',
          enum: modelCapabilities,
        },
        description: 'Capabilities of the model. Default: those of the catalogue, or chat.',
      },
      maxTokens: { type: 'integer', minimum: 1, description: 'Maximum number of completion tokens.' },
      contextWindow: {
        type: 'integer',
        minimum: 1,
        description: 'Maximum number of prompt and completion tokens together.',
      },
      dimensions: { type: 'integer', minimum: 1, description: 'Dimensions of an embedding.' },
      pricing: {
        type: 'object',
        description: 'USD per 1,000,000 tokens.',
        properties: {
          input: { type: 'number', minimum: 0, description: 'USD per 1,000,000 prompt tokens.' },
          output: { type: 'number', minimum: 0, description: 'USD per 1,000,000 completion tokens.' },
          cacheRead: {
            type: 'number',
            minimum: 0,
            description: 'USD per 1,000,000 tokens read from the prompt cache. Default: `input`.',
          },
          cacheWrite: {
            type: 'number',
            minimum: 0,
            description: 'USD per 1,000,000 tokens written to the prompt cache. Default: `input`.',
          },
        },
        required: ['input', 'output'],
        additionalProperties: false,
      },
      vendor: { type: 'string', description: 'Vendor whose price list contains the model, such as openai.' },
      createdAt: { type: 'string', description: 'Publication date of the model, in ISO 8601.' },
      quality: { type: 'number', minimum: 0, maximum: 1, description: 'Expected quality. Default 0.5.' },
      unsupported: {
        type: 'array',
        items: {
          type: 'string',
          enum: samplingNames,
        },
        description: 'Sampling parameters the model rejects.',
      },
      maxTemperature: {
        type: 'number',
        description: 'Highest `temperature` the model accepts.',
        minimum: 0,
        maximum: 2,
      },
      prefill: {
        type: 'boolean',
        description: 'The model continues a last message of the assistant. Default: what the vendor documents.',
      },
      lastResort: { type: 'boolean', description: 'Selected automatically only when no other model is available.' },
    },
    required: ['name'],
    additionalProperties: false,
  },
} as const satisfies OptionSchema;

/** An entry of the option `models`. */
export type ModelOption = NonNullable<ConfigOf<{ properties: { models: typeof modelOptions } }>['models']>[number];

/**
 * The catalogue with the operator's overrides, and the operator's own models after it.
 *
 * @example
 * ```ts
 * import { mergeModels, type ModelInfo } from '@patchbay/core/provider';
 *
 * const catalogue: readonly ModelInfo[] = [{ name: 'large', capabilities: ['chat'] }];
 * console.log([...mergeModels(catalogue).keys()]); // [ 'large' ]
 * ```
 */
export function mergeModels(
  catalogue: readonly ModelInfo[],
  own: readonly ModelOption[] = [],
): ReadonlyMap<string, ModelInfo> {
  const models = new Map(catalogue.map((model) => [model.name, model]));
  for (const option of own) {
    const known = models.get(option.name) ?? { capabilities: ['chat'] as const };
    models.set(option.name, { ...known, ...option });
  }
  return models;
}
