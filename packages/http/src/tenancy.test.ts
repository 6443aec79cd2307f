import { describe, expect, it } from 'vitest';
import { tenancySweep } from './fixtures/tenancy-sweep.ts';

describe('tenants', () => {
  // `npm run faults:tenancy` tries 100,000 times.
  it('cannot reach rows of each other by id: 5,000 tries among 20 tenants', async () => {
    const { operations, ...result } = await tenancySweep({ tenants: 20, resources: 20, tries: 5_000, seed: 1 });
    expect(result).toEqual({ tries: 5_000, leaks: [], unchanged: true });
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
