import { auditActions } from '@patchbay/core';
import { defineOperation } from '../operation.ts';
import { auditJson } from '../output/audit-json.ts';
import { pageJson, pageRequest } from '../output/page-json.ts';
import { pageQuery } from './shared-parameters.ts';

const listAuditEntries = defineOperation({
  id: 'listAuditEntries',
  method: 'GET',
  path: '/audit',
  area: 'system',
  scope: 'audit:read',
  summary: 'Read the audit log',
  description: 'Who changed what, the newest first. Each entry vouches for the one before it.',
  query: {
    ...pageQuery,
    sort: { type: 'string', enum: ['sequence'], default: 'sequence', description: 'Field to sort by.' },
    action: { type: 'string', enum: Object.keys(auditActions), description: 'Only entries of this action.' },
    resource: { type: 'string', maxLength: 255, description: 'Only entries about the thing with this id.' },
  },
  success: { status: 200, description: 'A page of entries.', schema: 'AuditPage' },
  errors: [],
  async handle({ query: { action, resource, ...query }, context }, { services: { audit } }) {
    const page = pageRequest(query);
    const filter = { ...(action && { action }), ...(resource && { resourceId: resource }) };
    return { json: pageJson(page, await audit.list(filter, page, context), auditJson) };
  },
});

export const auditOperations = [listAuditEntries];
