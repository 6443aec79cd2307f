import { gatewayRequestSchemas } from '@patchbay/core';
import { finishReasons, modelCapabilities } from '@patchbay/core/provider';
import { opaqueId as id, responseObject, timestamp } from './schema-object.ts';

const answeredBy = { type: 'string', description: 'The model that answered, as `<provider>/<model_name>`.' } as const;
const stream = {
  type: 'boolean',
  default: false,
  description: 'Answer with server-sent events: `start`, `delta`, and `done` with the whole result, or `error`.',
} as const;
const count = { type: 'integer', minimum: 0 } as const;
const tokens = { promptTokens: count, completionTokens: count, totalTokens: count } as const;
const finishReason = { type: 'string', enum: finishReasons } as const;
const warnings = {
  type: 'array',
  items: { type: 'string' },
  description: 'What had to be adapted, one sentence each. Absent where nothing had to be.',
} as const;

/** The request, with the choice of an answer in pieces. */
const streamable = <S extends { readonly properties: object }>(schema: S) => ({
  ...schema,
  properties: { ...schema.properties, stream },
});

const modelSummary = {
  id: { type: 'string', description: '`<provider>/<model_name>`' },
  provider: { type: 'string' },
  name: { type: 'string', description: 'Without the provider.' },
  capabilities: { type: 'array', items: { type: 'string', enum: modelCapabilities } },
  maxTokens: { type: 'integer', minimum: 1, description: 'Tokens of one answer. On text models.' },
  contextWindow: {
    type: 'integer',
    minimum: 1,
    description: 'Maximum number of prompt and completion tokens together.',
  },
  dimensions: { type: 'integer', minimum: 1, description: 'Dimensions of an embedding. On embedding models.' },
} as const;
const modelLimits = ['maxTokens', 'contextWindow', 'dimensions'];

export const gatewaySchemas = {
  ...gatewayRequestSchemas,
  GenerateRequest: streamable(gatewayRequestSchemas.GenerateRequest),
  ChatRequest: streamable(gatewayRequestSchemas.ChatRequest),
  FunctionCallRequest: streamable(gatewayRequestSchemas.FunctionCallRequest),
  Generation: responseObject(
    { id, text: { type: 'string' }, model: answeredBy, ...tokens, createdAt: timestamp, finishReason, warnings },
    { optional: ['warnings'] },
  ),
  Chat: responseObject(
    {
      id,
      message: responseObject({ role: { type: 'string', const: 'assistant' }, content: { type: 'string' } }),
      model: answeredBy,
      ...tokens,
      createdAt: timestamp,
      finishReason,
      warnings,
    },
    { optional: ['warnings'] },
  ),
  Embedding: responseObject(
    {
      id,
      embedding: { type: 'array', items: { type: 'number' } },
      model: answeredBy,
      tokens: count,
      createdAt: timestamp,
      warnings,
    },
    { optional: ['warnings'] },
  ),
  FunctionCall: responseObject(
    {
      id,
      functionCall: responseObject({
        name: { type: 'string' },
        arguments: { type: 'object', description: 'Fits the declared parameters.' },
      }),
      model: answeredBy,
      ...tokens,
      createdAt: timestamp,
      warnings,
    },
    { optional: ['warnings'] },
  ),
  ModelSummary: responseObject(modelSummary, { optional: modelLimits }),
  ModelList: responseObject({ data: { type: 'array', items: { $ref: '#/components/schemas/ModelSummary' } } }),
  Model: responseObject(
    {
      ...modelSummary,
      pricing: responseObject(
        {
          input: { type: 'number', minimum: 0 },
          output: { type: 'number', minimum: 0 },
          cacheRead: { type: 'number', minimum: 0, description: 'Input that the vendor reads from its cache.' },
          cacheWrite: { type: 'number', minimum: 0, description: 'Input that the vendor writes into its cache.' },
          currency: { type: 'string', const: 'USD' },
          unit: { type: 'string', const: '1M tokens' },
        },
        {
          description: 'List price. Absent where it is not known, which does not mean free.',
          optional: ['cacheRead', 'cacheWrite'],
        },
      ),
      createdAt: { ...timestamp, description: 'When the vendor published the model, or else when it was added here.' },
    },
    { optional: [...modelLimits, 'pricing'] },
  ),
  Explanation: responseObject({
    data: {
      type: 'array',
      description: 'Models that could be asked, best first; then those that could not.',
      items: responseObject(
        {
          id: { type: 'string' },
          refused: { type: 'string', description: 'Why the model is out.' },
          score: { type: 'number' },
          reason: { type: 'string', description: 'Why it has this place.' },
          state: { type: 'string', enum: ['closed', 'open', 'half-open'], description: 'Of its circuit breaker.' },
        },
        { optional: ['refused', 'score', 'reason'] },
      ),
    },
  }),
} as const;
