import { pageOf, timestamp } from './page-schema.ts';

const named = (description: string) =>
  ({
    type: 'object',
    description,
    properties: { type: { type: 'string' }, id: { type: 'string' } },
    required: ['type', 'id'],
  }) as const;

export const auditSchemas = {
  AuditEntry: {
    type: 'object',
    description: 'One change, and who made it.',
    properties: {
      id: { type: 'string' },
      sequence: { type: 'integer', minimum: 1, description: '1, 2, 3 … without a gap.' },
      action: { type: 'string', description: 'Such as `function.updated`.' },
      resource: named('What was changed.'),
      actor: named('Who changed it.'),
      requestId: { type: ['string', 'null'], description: 'Null: not by a request.' },
      address: { type: ['string', 'null'], description: 'Where the request came from.' },
      createdAt: timestamp,
      details: { type: 'object', description: 'What changed, without secrets.' },
      previousHash: { type: 'string', description: 'Hash of the entry before; empty in the first one.' },
      hash: { type: 'string', description: 'Vouches for all the above.' },
    },
    required: [
      'id',
      'sequence',
      'action',
      'resource',
      'actor',
      'requestId',
      'address',
      'createdAt',
      'details',
      'previousHash',
      'hash',
    ],
  },
  AuditPage: pageOf('AuditEntry'),
} as const;
