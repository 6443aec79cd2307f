import { opaqueId as id, pageOf, responseObject, timestamp } from './schema-object.ts';

const nullableId = { type: ['string', 'null'] } as const;
const count = { type: 'integer', minimum: 0, description: 'Where a model answered.' } as const;

export const callSchemas = {
  CallRequest: {
    type: 'object',
    properties: {
      input: { type: 'object', description: 'The values of the input.', default: {} },
      output: { $ref: '#/components/schemas/Schema', description: 'What the output is to look like.' },
      model: {
        type: 'string',
        minLength: 1,
        maxLength: 256,
        description: '`<provider>/<model_name>`, or `auto`. Default: what the settings of the function say.',
      },
      cache: {
        enum: ['default', 'reload', 'no-store'],
        description:
          'Of answers that models gave before, where the settings of the function have them kept: `reload` asks a model ' +
          'and keeps what it answers, `no-store` keeps nothing either. Default: an answer that is kept will do.',
      },
      metadata: {
        type: 'object',
        maxProperties: 16,
        propertyNames: { maxLength: 64 },
        additionalProperties: { type: 'string', maxLength: 512 },
        description: 'Written into the log of the server with the id of the call, and nowhere else.',
      },
      stream: {
        type: 'boolean',
        default: false,
        description:
          'Answer with server-sent events: `start`; where a model writes the output, `delta` events, each with all of ' +
          'the `output` so far, and `restart` where what was shown is void; `done` with the whole result, or `error`.',
      },
    },
    additionalProperties: false,
  },
  Call: responseObject(
    {
      id,
      name: { type: 'string', description: 'As it was called.' },
      source: {
        type: 'string',
        enum: ['stored', 'generated', 'cache'],
        description: 'A stored function was executed; a model answered; a model answered the same before.',
      },
      functionId: nullableId,
      executionId: nullableId,
      input: { type: 'object' },
      output: { type: 'object' },
      model: { type: 'string', description: 'The model that answered, where one did.' },
      promptTokens: count,
      completionTokens: count,
      totalTokens: count,
      warnings: { type: 'array', items: { type: 'string' }, description: 'What had to be adapted.' },
      createdAt: timestamp,
      completedAt: timestamp,
    },
    { optional: ['model', 'promptTokens', 'completionTokens', 'totalTokens'] },
  ),
} as const;

const calls = { type: 'integer', minimum: 1 } as const;

export const observedNameSchemas = {
  ObservedName: responseObject(
    {
      id,
      name: { type: 'string', description: 'As it was called.' },
      count: { ...calls, description: 'Calls, whatever became of them.' },
      refused: { type: 'integer', minimum: 0, description: 'Calls that no model was allowed to answer.' },
      firstSeenAt: timestamp,
      lastSeenAt: timestamp,
      input: {
        type: 'object',
        description: 'By the name of the member; the first 50.',
        additionalProperties: responseObject({
          types: { type: 'array', items: { type: 'string' }, description: 'JSON types that it had.' },
          count: { ...calls, description: 'Calls that had it.' },
        }),
      },
      output: {
        anyOf: [{ $ref: '#/components/schemas/Schema' }, { type: 'null' }],
        description: 'What a call declared last; null where none did, or where it has more than 8,192 characters.',
      },
    },
    { description: 'A name that was called although no function has it.' },
  ),
  ObservedNamePage: pageOf('ObservedName'),
} as const;
