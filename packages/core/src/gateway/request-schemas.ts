import { modelCapabilities, reasoningEfforts } from '@patchbay/contracts/provider';
import { interruptions, optimizations } from '@patchbay/contracts/router';

const model = {
  type: 'string',
  minLength: 1,
  maxLength: 256,
  description:
    '`<provider>/<model_name>`, a name that one provider has, or an alias of the config. Left out, or `auto`: the gateway ' +
    'chooses; `auto:cost`, `auto:quality` and `auto:performance` by that criterion.',
} as const;
const routing = { $ref: '#/components/schemas/Routing' } as const;
const temperature = { type: 'number', minimum: 0, maximum: 2 } as const;
const sampling = {
  maxTokens: { type: 'integer', minimum: 1, description: 'Tokens that the answer may have.' },
  temperature,
  topP: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
  frequencyPenalty: { type: 'number', minimum: -2, maximum: 2 },
  presencePenalty: { type: 'number', minimum: -2, maximum: 2 },
} as const;
const messages = {
  type: 'array',
  minItems: 1,
  maxItems: 1_000,
  items: { $ref: '#/components/schemas/Message' },
} as const;
const names = { type: 'array', maxItems: 100, items: { type: 'string' } } as const;

const cache = {
  type: 'object',
  description: 'The prompt may be cached up to here, where the vendor has to be asked.',
  properties: { ttl: { type: 'string', enum: ['5m', '1h'] } },
  additionalProperties: false,
} as const;
const tool = {
  type: 'object',
  properties: {
    name: {
      type: 'string',
      pattern: '^[a-zA-Z0-9_-]{1,64}$',
      $comment: 'must be 1 to 64 letters, digits, "_" or "-"',
    },
    description: { type: 'string', maxLength: 4_096 },
    parameters: { $ref: '#/components/schemas/Schema' },
    cache,
  },
  required: ['name', 'parameters'],
  additionalProperties: false,
} as const;
/** A tool of the request, or the name of mounted ones. */
const toolOrName = {
  anyOf: [
    tool,
    {
      type: 'string',
      pattern: '^[a-z0-9][a-z0-9_-]*\\.(\\*|[A-Za-z0-9_.-]{1,128})$',
      $comment: 'must be the name of a tool, `<server>.<tool>`, or `<server>.*`',
    },
  ],
} as const;

const toolLoop = {
  type: 'object',
  description:
    'The server calls the tools that are named, and sends their results to the model, until the model calls none of them any more.',
  properties: {
    maxSteps: { type: 'integer', minimum: 1, maximum: 50, default: 10, description: 'Requests to models.' },
  },
  additionalProperties: false,
} as const;

const chatOptions = {
  tools: {
    type: 'array',
    minItems: 1,
    maxItems: 128,
    items: toolOrName,
    description:
      'Functions that the model may call; with `toolLoop` also names of tools of mounted servers, `docs.search` or `docs.*`.',
  },
  toolLoop,
  toolChoice: {
    description:
      '`auto`, `none`, `required`, or the name of the one function to call as `{"name": …}`. Default `auto`.',
    anyOf: [
      { type: 'string', enum: ['auto', 'none', 'required'] },
      { type: 'object', properties: { name: { type: 'string' } }, required: ['name'], additionalProperties: false },
    ],
  },
  parallelToolCalls: { type: 'boolean', description: 'Whether one message may call several functions.' },
  stop: {
    type: 'array',
    minItems: 1,
    maxItems: 16,
    items: { type: 'string', minLength: 1, maxLength: 1_000 },
    description: 'Texts that end the completion, and are not part of it.',
  },
  seed: { type: 'integer', description: 'For repeatable sampling, as far as the vendor has it.' },
  reasoningEffort: { type: 'string', enum: reasoningEfforts, description: 'How much the model reasons first.' },
  responseSchema: { $ref: '#/components/schemas/Schema' },
} as const;

/**
 * JSON Schemas of the gateway requests, with references as in an OpenAPI document. `Schema` is missing, because the
 * gateway itself validates schemas of callers.
 */
export const gatewayRequestSchemas = {
  ContentPart: {
    type: 'object',
    description:
      'A text; an image or a file by its URL or as base64 data; audio as base64 data; of the assistant also its reasoning, a ' +
      'refusal, and calls of tools.',
    properties: {
      type: { type: 'string', enum: ['text', 'image', 'audio', 'file', 'reasoning', 'refusal', 'tool-call'] },
      text: { type: 'string' },
      url: { type: 'string', maxLength: 8_192 },
      data: { type: 'string', description: 'Base64.' },
      mediaType: {
        type: 'string',
        pattern: '^(image|audio|application|text)/[a-z0-9.+-]{1,80}$',
        $comment: 'must be a media type of an image, of audio or of a document',
      },
      name: { type: 'string', minLength: 1, description: 'Of a file, or of the tool that is called.' },
      id: { type: 'string', minLength: 1, description: 'Of the call.' },
      arguments: { type: 'object', description: 'Of the call.' },
      signature: { type: 'string', description: 'Of reasoning: to be sent back unchanged.' },
      encrypted: { type: 'string', description: 'Of reasoning: to be sent back unchanged.' },
      by: { type: 'string', description: 'Of reasoning: the model. No other provider receives it.' },
      cache,
      extra: {
        type: 'object',
        description: 'Members of one wire format, by its name. Only providers of that format receive them.',
        additionalProperties: { type: 'object' },
      },
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
        description: 'A text, or a list of parts.',
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
      isError: { type: 'boolean', description: 'The tool failed, and the content says how.' },
      parts: {
        type: 'array',
        maxItems: 1_000,
        items: { $ref: '#/components/schemas/ContentPart' },
        description: 'In place of `content`: the parts of a response, sent back as they came.',
      },
    },
    required: ['role', 'content'],
    additionalProperties: false,
  },
  Routing: {
    type: 'object',
    description: 'How the model is chosen.',
    properties: {
      capabilities: { type: 'array', maxItems: 20, items: { type: 'string', enum: modelCapabilities } },
      optimize: { type: 'string', enum: optimizations, default: 'balanced' },
      maxPrice: {
        type: 'number',
        minimum: 0,
        description:
          'USD that 1,000,000 tokens of the model may cost: neither its input nor its output price is above it.',
      },
      providers: { type: 'object', properties: { allow: names, deny: names }, additionalProperties: false },
      fallbacks: { type: 'array', maxItems: 3, items: model, description: 'Tried in this order when the model fails.' },
      onInterrupt: {
        type: 'string',
        enum: interruptions,
        default: 'resume',
        description: 'Whether another model continues a stream of text whose model fails, or the stream ends.',
      },
      explore: {
        type: 'boolean',
        default: true,
        description: 'Whether a router that learns may try a model although another is expected to be better.',
      },
    },
    additionalProperties: false,
  },
  GenerateRequest: {
    type: 'object',
    properties: { prompt: { type: 'string', minLength: 1 }, model, ...sampling, routing },
    required: ['prompt'],
    additionalProperties: false,
  },
  ChatRequest: {
    type: 'object',
    properties: { messages, model, ...sampling, ...chatOptions, routing },
    required: ['messages'],
    additionalProperties: false,
  },
  EmbeddingRequest: {
    type: 'object',
    properties: {
      text: { type: 'string', minLength: 1 },
      dimensions: {
        type: 'integer',
        minimum: 1,
        maximum: 65_536,
        description: 'For models that can shorten the vector.',
      },
      model,
      routing,
    },
    required: ['text'],
    additionalProperties: false,
  },
  FunctionCallRequest: {
    type: 'object',
    properties: {
      messages,
      functions: { type: 'array', minItems: 1, maxItems: 128, items: toolOrName },
      toolLoop,
      model,
      temperature,
      routing,
    },
    required: ['messages', 'functions'],
    additionalProperties: false,
  },
  ExplainRequest: {
    type: 'object',
    description: 'A chat request that is not sent.',
    properties: {
      messages,
      model,
      ...sampling,
      ...chatOptions,
      routing,
      functionName: {
        type: 'string',
        minLength: 1,
        maxLength: 200,
        description: 'The function that the model is to do: how well each kept to its output before then counts.',
      },
      settingsVersion: {
        type: 'integer',
        minimum: 0,
        default: 0,
        description: 'Version of the settings of the function. 0 if they are not stored.',
      },
    },
    additionalProperties: false,
  },
} as const;
