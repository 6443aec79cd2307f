import { callSchemas, observedNameSchemas } from './call-schemas.ts';
import { executionSchemas } from './execution-schemas.ts';
import { functionSchemas } from './function-schemas.ts';
import { gatewaySchemas } from './gateway-schemas.ts';
import { keySchemas } from './key-schemas.ts';
import { pageOf, responseObject, timestamp } from './schema-object.ts';
import { settingsSchemas } from './settings-schemas.ts';
import { usageSchemas } from './usage-schemas.ts';
import { webhookSchemas } from './webhook-schemas.ts';

/** RFC 9457. */
const problemSchema = {
  type: 'object',
  description: 'A failed request. Members beyond these depend on `code`, such as `execution`.',
  properties: {
    type: { type: 'string', description: '`urn:patchbay:error:` and the code.' },
    title: { type: 'string', description: 'The same for every occurrence of the code.' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What happened this time.' },
    instance: { type: 'string', description: '`urn:patchbay:request:` and the request id.' },
    code: { type: 'string', description: 'Stable name of the kind of failure.' },
    requestId: { type: 'string', description: 'As in the header `Request-Id`.' },
    retryable: { type: 'boolean', description: 'Whether the same request, sent again later, can succeed.' },
    errors: {
      type: 'array',
      description: 'Individual errors, if there are several.',
      items: {
        type: 'object',
        properties: {
          pointer: { type: 'string', description: 'JSON Pointer into the body, or `?name` for a query parameter.' },
          code: { type: 'string' },
          detail: { type: 'string' },
          line: { type: 'integer', minimum: 1 },
          column: { type: 'integer', minimum: 1 },
        },
        required: ['pointer', 'code', 'detail'],
      },
    },
    execution: {
      description: 'The execution that did not complete; without ids where a function was only tested.',
      anyOf: [{ $ref: '#/components/schemas/Execution' }, { $ref: '#/components/schemas/TestResult' }],
    },
  },
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'requestId', 'retryable'],
} as const;

const named = (description: string) =>
  responseObject({ type: { type: 'string' }, id: { type: 'string' } }, { description });

const auditSchemas = {
  AuditEntry: responseObject(
    {
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
    { description: 'One change, and who made it.' },
  ),
  AuditPage: pageOf('AuditEntry'),
} as const;

/** Every named schema of the OpenAPI document. */
export const componentSchemas = {
  ...functionSchemas,
  ...executionSchemas,
  ...gatewaySchemas,
  ...keySchemas,
  ...auditSchemas,
  ...settingsSchemas,
  ...callSchemas,
  ...observedNameSchemas,
  ...usageSchemas,
  ...webhookSchemas,
  Problem: problemSchema,
  Health: {
    type: 'object',
    properties: { status: { type: 'string', enum: ['ok', 'draining'] } },
    required: ['status'],
  },
  RequestCancellation: {
    type: 'object',
    properties: { cancelled: { type: 'integer', minimum: 0, description: 'Requests that were cancelled.' } },
    required: ['cancelled'],
  },
  Empty: { type: 'object', description: 'No fields.', properties: {}, additionalProperties: false },
} as const;

export type SchemaName = keyof typeof componentSchemas;
