import { canStartPostgres } from '@patchbay/postgres-for-tests';
import { expect, it } from 'vitest';
import { isFullSize } from '../driver/is-full-size.ts';
import { rollingRestart } from './rolling-restart.ts';

// At full size only: at every size, `examples/postgres-replicas` restarts replicas without a failed request, and
// `stop.test.ts` and `reload-faults.test.ts` end executions and streams in order. `npm run faults:rolling-restart` makes long runs.

it.runIf(isFullSize && canStartPostgres())(
  'a rolling restart behind a late load balancer fails no request',
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
