import { canStartPostgres } from '@patchbay/postgres-for-tests';
import { expect, it } from 'vitest';
import { rollingRestart } from './rolling-restart.ts';

// Short runs; `packages/e2e/scripts/rolling-restart.ts` makes long ones.

it.skipIf(!canStartPostgres())(
  'fails no request when replicas are restarted one after the other, behind a door that is late',
  { timeout: 300_000 },
  async () => {
    const { faults, done, restarts } = await rollingRestart({
      door: 'late',
      rounds: 1,
      replicas: 2,
      clients: 1,
      pauseMs: 50,
    });
    expect(faults).toEqual([]);
    expect(restarts).toBe(2);
    for (const kind of ['read', 'execute', 'stream']) expect(done[kind]).toBeGreaterThan(0);
  },
);
