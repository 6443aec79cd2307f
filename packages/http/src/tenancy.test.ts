import { describe, expect, it } from 'vitest';
import { tenancySweep } from './fixtures/tenancy-sweep.ts';

describe('tenants', () => {
  // `npm run faults:tenancy` tries 100,000 times.
  const isFullSize = process.env['PATCHBAY_TEST_SIZE'] === 'full';
  const [tries, resources] = isFullSize ? [5_000, 20] : [600, 5];
  it(`cannot reach rows of each other by id: ${tries} tries among 20 tenants`, async () => {
    const { operations, messages, ...result } = await tenancySweep({ tenants: 20, resources, tries, seed: 1 });
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
