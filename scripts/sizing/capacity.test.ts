import { describe, expect, it } from 'vitest';
import { capacityOf } from './capacity.ts';

const machine = { serverProcesses: 4, cores: 16, databaseCores: 0, commitsPerSecond: 1_000, sharing: 1 };
const cost = { server: 200, functions: 0, database: 0, commits: 0 };

describe('the capacity of an installation', () => {
  it.each([
    ['server processes', cost, machine, 12_000],
    ['server processes', cost, { ...machine, sharing: 1.2 }, 10_000],
    ['cores', { ...cost, functions: 1_000 }, machine, 8_000],
    ['commits', { ...cost, commits: 2 }, machine, 500],
    ['PostgreSQL', { ...cost, database: 300 }, { ...machine, databaseCores: 2 }, 4_000],
  ])('is limited by %s', (bottleneck, request, installation, requestsPerSecond) => {
    const capacity = capacityOf(request, installation);
    expect(capacity.bottleneck).toBe(bottleneck);
    expect(capacity.requestsPerSecond).toBeCloseTo(requestsPerSecond, 6);
  });
});
