import { silentLogger } from '@patchbay/contracts/base/logger';
import { expect, it } from 'vitest';
import { createMemoryStorage } from '../../built-in/memory-storage.ts';
import { createStorageQueue } from '../../queue/storage-queue.ts';
import { contextOf, createStoppedClock } from '../fixtures/function-parts.ts';
import { newExecution } from './admission.ts';
import { InstanceLease } from './instance-lease.ts';
import { recoverExecutions } from './recover-executions.ts';

const LEASE_MS = 15_000;
const HOUR_MS = 3_600_000;
const context = contextOf('acme');

/** An instance, and another server on its storage. */
async function setUp() {
  const storage = createMemoryStorage();
  const clock = createStoppedClock();
  const queue = createStorageQueue({ storage, clock });
  const own = { own: 'one', isGone: () => false };
  const instance = new InstanceLease({ storage, clock, logger: silentLogger, identity: own, leaseMs: LEASE_MS });
  await instance.renew();
  let number = 0;
  return {
    storage,
    clock,
    instance,
    /** Have the instance run an execution. */
    begin: async (): Promise<void> => {
      number += 1;
      const row = newExecution(`execution_${number}`, { id: 'function_1', revision: 1 }, context, clock);
      const started = { ...row, status: 'running', owner: instance.id } as const;
      await storage.commit(context.caller.tenant, [{ insert: 'executions', row: started }]);
    },
    /** Look from the other server, whose clock is ahead, or which sees that the process is gone. */
    recover: async ({ aheadMs = 0, isGone = false } = {}) => {
      const ahead = { ...clock, now: () => clock.now() + aheadMs };
      const identity = { own: 'two', isGone: () => isGone };
      const engine = { storage, clock: ahead, outbox: undefined };
      return await recoverExecutions({ engine, queue, identity, runsAgain: () => false });
    },
  };
}

it.each([
  ['looked gone, because a clock was ahead', { aheadMs: LEASE_MS + 3_000 }],
  ['was killed', { isGone: true }],
])('an execution is closed even if it starts after its instance %s', async (_, sight) => {
  const { clock, begin, recover } = await setUp();
  await begin();
  expect(await recover(sight)).toEqual({ interrupted: 1, queued: 0 });
  await begin();
  clock.advance(LEASE_MS);
  expect(await recover(sight)).toEqual({ interrupted: 1, queued: 0 });
});

it('an instance that only looked gone is alive again once it renews its lease', async () => {
  const { storage, clock, instance, begin, recover } = await setUp();
  clock.advance(LEASE_MS + 3_000);
  await recover();
  expect(await instance.isAlive(instance.id)).toBe(false);
  await instance.renew();
  await begin();
  expect(await recover()).toEqual({ interrupted: 0, queued: 0 });
  expect(await storage.scanAllTenants('instances', {}, 9)).toHaveLength(1);
});

it('an instance that stays gone is deleted', async () => {
  const { storage, clock, recover } = await setUp();
  clock.advance(HOUR_MS);
  await recover();
  expect(await storage.scanAllTenants('instances', {}, 9)).toEqual([]);
});
