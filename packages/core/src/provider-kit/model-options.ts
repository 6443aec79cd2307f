import type { ConfigOf, OptionSchema } from '../contracts/config-schema.ts';
import { type ModelInfo, modelCapabilities, samplingNames } from '../contracts/provider.ts';

/** The option `models` of a provider: models that its catalogue lacks, or knows otherwise. */
export const modelOptions = {
  type: 'array',
  description: 'Models to add. One that the catalogue has too changes the members that it names.',
  items: {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 1, description: 'As the server calls the model.' },
      capabilities: {
        type: 'array',
        items: {
          type: 'string',
          enum: modelCapabilities,
        },
        description: 'What the model can do. Default: chat, or what the catalogue says.',
      },
      maxTokens: { type: 'integer', minimum: 1, description: 'Tokens that one answer may have.' },
      contextWindow: { type: 'integer', minimum: 1, description: 'Tokens of question and answer together.' },
      dimensions: { type: 'integer', minimum: 1, description: 'Length of a vector.' },
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
        additionalProperties: false,
      },
      vendor: { type: 'string', description: 'Whose price list has the model, such as openai.' },
      createdAt: { type: 'string', description: 'When the model was published. ISO 8601.' },
      quality: { type: 'number', minimum: 0, maximum: 1, description: 'Expected quality. Default 0.5.' },
      unsupported: {
        type: 'array',
        items: {
          type: 'string',
          enum: samplingNames,
        },
        description: 'Sampling values that the model refuses.',
      },
      maxTemperature: {
        type: 'number',
        description: 'The highest `temperature` that the model takes.',
        minimum: 0,
        maximum: 2,
      },
      lastResort: { type: 'boolean', description: 'Chosen automatically only while nothing else is there.' },
    },
    required: ['name'],
    additionalProperties: false,
  },
} as const satisfies OptionSchema;

/** An entry of the option `models`. */
export type ModelOption = NonNullable<ConfigOf<{ properties: { models: typeof modelOptions } }>['models']>[number];

/**
 * The catalogue with what the operator says of it, and the operator's own models behind it.
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
