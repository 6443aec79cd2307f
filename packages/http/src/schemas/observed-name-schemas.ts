import { pageOf, timestamp } from './page-schema.ts';

const count = { type: 'integer', minimum: 1 } as const;

export const observedNameSchemas = {
  ObservedName: {
    type: 'object',
    description: 'A name that was called although no function has it.',
    properties: {
      id: { type: 'string', description: 'Opaque; assigned by the service.' },
      name: { type: 'string', description: 'As it was called.' },
      count: { ...count, description: 'Calls, whatever became of them.' },
      refused: { type: 'integer', minimum: 0, description: 'Calls that no model was allowed to answer.' },
      firstSeenAt: timestamp,
      lastSeenAt: timestamp,
      input: {
        type: 'object',
        description: 'By the name of the member; the first 50.',
        additionalProperties: {
          type: 'object',
          properties: {
            types: { type: 'array', items: { type: 'string' }, description: 'JSON types that it had.' },
            count: { ...count, description: 'Calls that had it.' },
          },
          required: ['types', 'count'],
        },
      },
      output: {
        anyOf: [{ $ref: '#/components/schemas/Schema' }, { type: 'null' }],
        description: 'What a call declared last; null where none did, or where it has more than 8,192 characters.',
      },
    },
    required: ['id', 'name', 'count', 'refused', 'firstSeenAt', 'lastSeenAt', 'input', 'output'],
  },
  ObservedNamePage: pageOf('ObservedName'),
} as const;
