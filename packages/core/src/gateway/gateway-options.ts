import type { OptionSchema } from '@patchbay/contracts/config-schema';
import { modelCapabilities } from '@patchbay/contracts/provider';
import { interruptions, optimizations } from '@patchbay/contracts/router';
import { modelOptions } from '@patchbay/outbound/provider-kit/model-options';
import { defaultFallbackAfter } from './deadline.ts';

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
    prefill: known.prefill,
  },
} as const satisfies OptionSchema;

const names = { type: 'array', items: { type: 'string' } } as const satisfies OptionSchema;

const alias = {
  type: 'object',
  properties: {
    model: { type: 'string', minLength: 1, description: 'Model id, or `auto` for an automatic choice.' },
    fallbacks: { ...names, description: 'Models to try in this order if the model fails.' },
    routing: {
      type: 'object',
      description: 'Routing of requests that name the alias, where they do not set it themselves.',
      properties: {
        optimize: { type: 'string', enum: optimizations, description: 'Criterion of the automatic choice.' },
        capabilities: {
          type: 'array',
          items: { type: 'string', enum: modelCapabilities },
          description: 'Capabilities that the model must have.',
        },
        maxPrice: { type: 'number', minimum: 0, description: 'Highest price, in USD per 1,000,000 tokens.' },
        providers: {
          type: 'object',
          description: 'Providers to choose from.',
          properties: {
            allow: { ...names, description: 'The only providers to use.' },
            deny: { ...names, description: 'Providers not to use.' },
          },
        },
        onInterrupt: {
          type: 'string',
          enum: interruptions,
          description: 'Whether another model continues a stream that is interrupted. Default `resume`.',
        },
        explore: {
          type: 'boolean',
          description:
            'Whether a router that learns may try a model although another is expected to be better. Default `true`.',
        },
      },
    },
  },
  required: ['model'],
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
    fallbackAfterMs: {
      type: 'integer',
      description:
        'Silence of a stream in milliseconds after which another model takes over, if there is one: before the first ' +
        'token, and later while the other model can continue the text.',
      minimum: 1,
      maximum: 3_600_000,
      default: defaultFallbackAfter.fallbackAfterMs,
    },
    reasoningFallbackAfterMs: {
      type: 'integer',
      description:
        'The same in milliseconds for models with the capability `reasoning`, which are silent while they reason.',
      minimum: 1,
      maximum: 3_600_000,
      default: defaultFallbackAfter.reasoningFallbackAfterMs,
    },
    aliases: {
      type: 'object',
      description: 'Names of your own for models, such as `fast`. Requests use them in place of a model id.',
      additionalProperties: alias,
    },
    vendorTools: {
      type: 'boolean',
      description:
        'Whether callers may use tools that the vendor runs, such as its web search. They reach other servers, and their ' +
        'price is in no budget.',
      default: false,
    },
    models: {
      type: 'object',
      description: 'Overrides of the provider catalogues, by model id.',
      additionalProperties: model,
    },
  },
} as const satisfies OptionSchema;
