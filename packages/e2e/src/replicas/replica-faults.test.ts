import { canStartPostgres } from '@patchbay/postgres-for-tests';
import { expect, it } from 'vitest';
import { replicaFaults } from './faults/replica-faults.ts';

// A short run; `packages/e2e/scripts/replica-faults.ts` makes long ones.

it.skipIf(!canStartPostgres())(
  'nothing is lost or run twice when replicas, workers and PostgreSQL are killed',
  { timeout: 300_000 },
  async () => {
    const size = { rounds: 1, clients: 1, workers: 1, pauseMs: 50, leaseMs: 5_000 };
    const report = await replicaFaults({ seed: 20_261_121, ...size });
    expect(report.faults).toEqual([]);
    expect(report.kills).toBe(3);
    expect(report.acknowledged).toBeGreaterThan(1);
  },
);
