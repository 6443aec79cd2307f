import { defineOperation } from '../operation.ts';
import { listQuery } from './pages.ts';

const { limit, cursor } = listQuery(['id']);

const listTenants = defineOperation({
  id: 'listTenants',
  method: 'GET',
  path: '/tenants',
  area: 'system',
  scope: 'tenants:read',
  summary: 'List the tenants of this server',
  description:
    'Every tenant that has API keys, functions or usage, by name. Tenants are not created: a tenant that has none of these ' +
    'is not listed. For the operator: the scope `*` does not include `tenants:read`, which gives access to nothing else of ' +
    'other tenants.',
  query: { limit, cursor: { ...cursor, description: 'Place to go on from: `meta.nextCursor` of the page before.' } },
  success: { status: 200, description: 'A page of tenants.', schema: 'TenantPage' },
  errors: [],
  async handle({ query, context }, { services: { tenants } }) {
    const { rows, nextCursor } = await tenants.list(query, context);
    const meta = { limit: query.limit, ...(nextCursor !== undefined && { nextCursor }) };
    return { json: { data: rows, meta } };
  },
});

export const tenantOperations = [listTenants];
