import { modelCapabilities } from '@patchbay/core/plugin';
import { timestamp } from './page-schema.ts';

const id = { type: 'string', description: 'Opaque; assigned by the service.' } as const;
const model = {
  type: 'string',
  minLength: 1,
  maxLength: 256,
  description: '`<provider>/<model_name>`. Left out, or `auto`: the gateway chooses.',
} as const;
const answeredBy = { type: 'string', description: 'The model that answered, as `<provider>/<model_name>`.' } as const;
const routing = { $ref: '#/components/schemas/Routing' } as const;
const stream = {
  type: 'boolean',
  default: false,
  description: 'Answer with server-sent events: `start`, `delta`, and `done` with the whole result, or `error`.',
} as const;
const temperature = { type: 'number', minimum: 0, maximum: 2 } as const;
const sampling = {
  maxTokens: { type: 'integer', minimum: 1, description: 'Tokens that the answer may have.' },
  temperature,
  topP: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
  frequencyPenalty: { type: 'number', minimum: -2, maximum: 2 },
  presencePenalty: { type: 'number', minimum: -2, maximum: 2 },
} as const;
const count = { type: 'integer', minimum: 0 } as const;
const tokens = { promptTokens: count, completionTokens: count, totalTokens: count } as const;
const tokenNames = ['promptTokens', 'completionTokens', 'totalTokens'] as const;
const finishReason = { type: 'string', enum: ['stop', 'length', 'tool-calls', 'content-filter'] } as const;
const warnings = {
  type: 'array',
  items: { type: 'string' },
  description: 'What had to be adapted, one sentence each. Absent where nothing had to be.',
} as const;
const messages = {
  type: 'array',
  minItems: 1,
  maxItems: 1_000,
  items: { $ref: '#/components/schemas/Message' },
} as const;
const names = { type: 'array', maxItems: 100, items: { type: 'string' } } as const;

const modelSummary = {
  id: { type: 'string', description: '`<provider>/<model_name>`' },
  provider: { type: 'string' },
  name: { type: 'string', description: 'Without the provider.' },
  capabilities: { type: 'array', items: { type: 'string', enum: modelCapabilities } },
  maxTokens: { type: 'integer', minimum: 1, description: 'Tokens of one answer. On text models.' },
  contextWindow: { type: 'integer', minimum: 1, description: 'Tokens of question and answer together.' },
  dimensions: { type: 'integer', minimum: 1, description: 'Length of a vector. On embedding models.' },
} as const;

export const gatewaySchemas = {
  ContentPart: {
    type: 'object',
    description: 'A text, or an image by its URL or as base64 data.',
    properties: {
      type: { type: 'string', enum: ['text', 'image'] },
      text: { type: 'string' },
      url: { type: 'string', maxLength: 8_192 },
      data: { type: 'string', description: 'Base64.' },
      mediaType: { type: 'string', pattern: '^image/[a-z0-9.+-]{1,40}$', $comment: 'must be a media type of an image' },
    },
    required: ['type'],
    additionalProperties: false,
  },
  Message: {
    type: 'object',
    properties: {
      role: { type: 'string', enum: ['system', 'user', 'assistant', 'tool'] },
      content: {
        type: ['string', 'array'],
        minItems: 1,
        maxItems: 100,
        items: { $ref: '#/components/schemas/ContentPart' },
        description: 'A text; from users also a list of texts and images.',
      },
      toolCalls: {
        type: 'array',
        maxItems: 128,
        description: 'What the assistant called in this turn.',
        items: {
          type: 'object',
          properties: {
            id: { type: 'string', minLength: 1 },
            name: { type: 'string', minLength: 1 },
            arguments: { type: 'object' },
          },
          required: ['id', 'name', 'arguments'],
          additionalProperties: false,
        },
      },
      toolCallId: { type: 'string', minLength: 1, description: 'The call that a message of role `tool` answers.' },
    },
    required: ['role', 'content'],
    additionalProperties: false,
  },
  Routing: {
    type: 'object',
    description: 'How the model is chosen.',
    properties: {
      capabilities: { type: 'array', maxItems: 20, items: { type: 'string', enum: modelCapabilities } },
      optimize: { type: 'string', enum: ['quality', 'cost', 'performance', 'balanced'], default: 'balanced' },
      maxPrice: {
        type: 'number',
        minimum: 0,
        description:
          'USD that 1,000,000 tokens of the model may cost: neither its input nor its output price is above it.',
      },
      providers: { type: 'object', properties: { allow: names, deny: names }, additionalProperties: false },
      fallbacks: { type: 'array', maxItems: 3, items: model, description: 'Tried in this order when the model fails.' },
    },
    additionalProperties: false,
  },
  GenerateRequest: {
    type: 'object',
    properties: { prompt: { type: 'string', minLength: 1 }, model, ...sampling, routing, stream },
    required: ['prompt'],
    additionalProperties: false,
  },
  ChatRequest: {
    type: 'object',
    properties: { messages, model, ...sampling, routing, stream },
    required: ['messages'],
    additionalProperties: false,
  },
  EmbeddingRequest: {
    type: 'object',
    properties: { text: { type: 'string', minLength: 1 }, model, routing },
    required: ['text'],
    additionalProperties: false,
  },
  FunctionCallRequest: {
    type: 'object',
    properties: {
      messages,
      functions: {
        type: 'array',
        minItems: 1,
        maxItems: 128,
        items: {
          type: 'object',
          properties: {
            name: {
              type: 'string',
              pattern: '^[a-zA-Z0-9_-]{1,64}$',
              $comment: 'must be 1 to 64 letters, digits, "_" or "-"',
            },
            description: { type: 'string', maxLength: 4_096 },
            parameters: { $ref: '#/components/schemas/Schema' },
          },
          required: ['name', 'parameters'],
          additionalProperties: false,
        },
      },
      model,
      temperature,
      routing,
      stream,
    },
    required: ['messages', 'functions'],
    additionalProperties: false,
  },
  ExplainRequest: {
    type: 'object',
    description: 'A chat request that is not sent.',
    properties: { messages, model, ...sampling, routing },
    additionalProperties: false,
  },
  Generation: {
    type: 'object',
    properties: {
      id,
      text: { type: 'string' },
      model: answeredBy,
      ...tokens,
      createdAt: timestamp,
      finishReason,
      warnings,
    },
    required: ['id', 'text', 'model', ...tokenNames, 'createdAt', 'finishReason'],
  },
  Chat: {
    type: 'object',
    properties: {
      id,
      message: {
        type: 'object',
        properties: { role: { type: 'string', const: 'assistant' }, content: { type: 'string' } },
        required: ['role', 'content'],
      },
      model: answeredBy,
      ...tokens,
      createdAt: timestamp,
      finishReason,
      warnings,
    },
    required: ['id', 'message', 'model', ...tokenNames, 'createdAt', 'finishReason'],
  },
  Embedding: {
    type: 'object',
    properties: {
      id,
      embedding: { type: 'array', items: { type: 'number' } },
      model: answeredBy,
      tokens: count,
      createdAt: timestamp,
      warnings,
    },
    required: ['id', 'embedding', 'model', 'tokens', 'createdAt'],
  },
  FunctionCall: {
    type: 'object',
    properties: {
      id,
      functionCall: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          arguments: { type: 'object', description: 'Fits the declared parameters.' },
        },
        required: ['name', 'arguments'],
      },
      model: answeredBy,
      ...tokens,
      createdAt: timestamp,
      warnings,
    },
    required: ['id', 'functionCall', 'model', ...tokenNames, 'createdAt'],
  },
  ModelSummary: {
    type: 'object',
    properties: modelSummary,
    required: ['id', 'provider', 'name', 'capabilities'],
  },
  ModelList: {
    type: 'object',
    properties: { data: { type: 'array', items: { $ref: '#/components/schemas/ModelSummary' } } },
    required: ['data'],
  },
  Model: {
    type: 'object',
    properties: {
      ...modelSummary,
      pricing: {
        type: 'object',
        description: 'List price. Absent where it is not known, which does not mean free.',
        properties: {
          input: { type: 'number', minimum: 0 },
          output: { type: 'number', minimum: 0 },
          currency: { type: 'string', const: 'USD' },
          unit: { type: 'string', const: '1M tokens' },
        },
        required: ['input', 'output', 'currency', 'unit'],
      },
      createdAt: { ...timestamp, description: 'When the vendor published the model, or else when it was added here.' },
    },
    required: ['id', 'provider', 'name', 'capabilities', 'createdAt'],
  },
  Explanation: {
    type: 'object',
    properties: {
      data: {
        type: 'array',
        description: 'Models that could be asked, best first; then those that could not.',
        items: {
          type: 'object',
          properties: {
            id: { type: 'string' },
            refused: { type: 'string', description: 'Why the model is out.' },
            score: { type: 'number' },
            reason: { type: 'string', description: 'Why it has this place.' },
            state: { type: 'string', enum: ['closed', 'open', 'half-open'], description: 'Of its circuit breaker.' },
          },
          required: ['id', 'state'],
        },
      },
    },
    required: ['data'],
  },
} as const;
