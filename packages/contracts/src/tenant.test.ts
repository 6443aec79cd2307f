import { expect, it } from 'vitest';
import { installationTenant, isTenantId, tenantId } from './tenant.ts';

it.each(['acme', 'Acme-1', 'corp:acme', 'org@example.com|7', 'patchbay', 'a'.repeat(128)])(
  '%s is a valid tenant',
  (name) => {
    expect(isTenantId(name)).toBe(true);
    expect(tenantId(name)).toBe(name);
  },
);

it.each(['', 'Acme & Sons', 'a'.repeat(129), 'ä', 'acme\n', installationTenant, 'patchbay:other'])(
  '%j is not a valid tenant, or is reserved',
  (name) => {
    expect(isTenantId(name)).toBe(false);
    expect(() => tenantId(name)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  },
);
