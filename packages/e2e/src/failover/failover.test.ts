import { describe, expect, it, vi } from 'vitest';
import { failoverFaults } from './failover-faults.ts';
import { playFailover } from './play-failover.ts';
import { complaints } from './verdict.ts';

// Most of the time of a fault is spent waiting.
vi.setConfig({ maxConcurrency: 8 });

describe('a stream of a model that fails, with one fallback', () => {
  it.concurrent.each(failoverFaults)('$number: $what', async (fault) => {
    const observed = await playFailover(fault);
    const found = observed.map((each) => `${each.path}, ${each.choice}: ${complaints(fault, each).join('; ')}`);
    expect(found).toEqual(observed.map(({ path, choice }) => `${path}, ${choice}: `));
  });
});
