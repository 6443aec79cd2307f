import { auditSchemas } from './audit-schemas.ts';
import { callSchemas } from './call-schemas.ts';
import { executionSchemas } from './execution-schemas.ts';
import { functionSchemas } from './function-schemas.ts';
import { gatewaySchemas } from './gateway-schemas.ts';
import { keySchemas } from './key-schemas.ts';
import { observedNameSchemas } from './observed-name-schemas.ts';
import { problemSchema } from './problem-schema.ts';
import { settingsSchemas } from './settings-schemas.ts';
import { usageSchemas } from './usage-schemas.ts';
import { webhookSchemas } from './webhook-schemas.ts';

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
