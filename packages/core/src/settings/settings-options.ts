import type { OptionSchema } from '../contracts/config-schema.ts';
import { modelCapabilities } from '../contracts/provider.ts';
import { optimizations } from '../contracts/router.ts';

/** The label that calls use unless the config names another. */
export const DEFAULT_LABEL = 'production';

const strings = { type: 'array', items: { type: 'string', minLength: 1 } } as const satisfies OptionSchema;

/** The settings of functions in a config. */
export const settingsOptions = {
  type: 'object',
  properties: {
    model: { type: 'string', description: 'The model, such as `openai/gpt-5`, or `auto`.', minLength: 1 },
    routing: {
      type: 'object',
      properties: {
        capabilities: {
          type: 'array',
          description: 'What the model has to be able to do.',
          items: { type: 'string', enum: modelCapabilities },
        },
        optimize: {
          type: 'string',
          description: 'What counts when a model is chosen.',
          enum: optimizations,
        },
        maxPrice: {
          type: 'number',
          description: 'USD per 1,000,000 tokens that neither the question nor the answer may cost more than.',
          minimum: 0,
        },
        providers: {
          type: 'object',
          properties: {
            allow: { ...strings, description: 'Providers to choose from. Default: all.' },
            deny: { ...strings, description: 'Providers not to choose.' },
          },
        },
        fallbacks: { ...strings, description: 'Models to ask, in this order, when the first one fails.' },
      },
    },
    system: { type: 'string', description: 'The instruction of the system.' },
    prompt: { type: 'string', description: 'The question; `{{input.text}}` stands for a member of the input.' },
    temperature: {
      type: 'number',
      description: 'How freely words are chosen: 0 for the most likely ones.',
      minimum: 0,
      maximum: 2,
    },
    topP: { type: 'number', description: 'Share of the likely words to choose from.', minimum: 0, maximum: 1 },
    maxTokens: { type: 'integer', description: 'Tokens that the answer may have.', minimum: 1 },
    frequencyPenalty: {
      type: 'number',
      description: 'Against words that were said often already.',
      minimum: -2,
      maximum: 2,
    },
    presencePenalty: { type: 'number', description: 'Against words that were said at all.', minimum: -2, maximum: 2 },
    repairs: {
      type: 'integer',
      description: 'How often an answer that does not fit is asked for again.',
      minimum: 0,
      maximum: 5,
    },
    cacheSeconds: {
      type: 'integer',
      description: 'Seconds for which an answer is kept for the same input. Default: none are kept.',
      minimum: 0,
      maximum: 2_592_000,
    },
  },
} as const satisfies OptionSchema;
