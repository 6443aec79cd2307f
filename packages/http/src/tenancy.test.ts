import { describe, expect, it } from 'vitest';
import { tenancySweep } from './fixtures/tenancy-sweep.ts';

describe('tenants', () => {
  // `npm run faults:tenancy` makes 100,000 tries.
  const tries = process.env['PATCHBAY_TEST_SIZE'] === 'full' ? 5_000 : 2_000;
  it(`cannot reach each other's rows by id: ${tries} tries among 20 tenants`, async () => {
    const { operations, messages, ...result } = await tenancySweep({ tenants: 20, resources: 20, tries, seed: 1 });
    expect(result).toEqual({ tries, leaks: [], unchanged: true });
    expect(messages).toBeGreaterThan(tries / 3);
    expect(operations).toEqual(
      expect.arrayContaining([
        'getFunction',
        'deleteFunction',
        'executeFunction',
        'getExecution',
        'getCall',
        'getFeedback',
        'deleteFeedback',
        'rotateKey',
        'revokeKey',
      ]),
    );
  });
});
