import { describe, expect, it } from 'vitest';
import { tenancySweep } from './fixtures/tenancy-sweep.ts';

describe('tenants', () => {
  it('get nothing by the ids of others: 20,000 tries among 50 tenants', { timeout: 120_000 }, async () => {
    const { operations, ...result } = await tenancySweep({ tenants: 50, resources: 40, tries: 20_000, seed: 1 });
    expect(result).toEqual({ tries: 20_000, leaks: [], unchanged: true });
    expect(operations).toEqual(
      expect.arrayContaining([
        'getFunction',
        'deleteFunction',
        'executeFunction',
        'getExecution',
        'rotateKey',
        'revokeKey',
      ]),
    );
  });
});
