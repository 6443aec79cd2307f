import { setImmediate as nextTurn } from 'node:timers/promises';
import type { IdempotencyService } from './idempotency-service.ts';

/** Delete everything that has expired, in steps between which requests are served. */
export async function sweepAll(idempotency: Pick<IdempotencyService, 'sweep'>): Promise<void> {
  while ((await idempotency.sweep()) > 0) await nextTurn();
}
