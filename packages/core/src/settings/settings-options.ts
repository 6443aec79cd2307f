import type { OptionSchema } from '../contracts/config-schema.ts';
import { modelCapabilities } from '../contracts/provider.ts';

const strings = { type: 'array', items: { type: 'string', minLength: 1 } } as const satisfies OptionSchema;

/** What a config may say of the settings of functions. */
export const settingsOptions = {
  type: 'object',
  properties: {
    model: { type: 'string', minLength: 1 },
    routing: {
      type: 'object',
      properties: {
        capabilities: { type: 'array', items: { type: 'string', enum: modelCapabilities } },
        optimize: { type: 'string', enum: ['quality', 'cost', 'performance', 'balanced'] },
        maxPrice: { type: 'number', minimum: 0 },
        providers: { type: 'object', properties: { allow: strings, deny: strings } },
        fallbacks: strings,
      },
    },
    system: { type: 'string' },
    prompt: { type: 'string' },
    temperature: { type: 'number', minimum: 0, maximum: 2 },
    topP: { type: 'number', minimum: 0, maximum: 1 },
    maxTokens: { type: 'integer', minimum: 1 },
    frequencyPenalty: { type: 'number', minimum: -2, maximum: 2 },
    presencePenalty: { type: 'number', minimum: -2, maximum: 2 },
    repairs: { type: 'integer', minimum: 0, maximum: 5 },
    cacheSeconds: { type: 'integer', minimum: 0, maximum: 2_592_000 },
  },
} as const satisfies OptionSchema;
