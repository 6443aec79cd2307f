import assert from 'node:assert/strict';
import { acme, drain, hang, LEASE_MS, payloads, type QueueSuite, watch, within } from './queue-under-test.ts';

/** One consumer at a time holds a job, and one that has lost it can no longer affect it. */
export function leaseSuite({ runner, it }: QueueSuite): void {
  runner.describe('leases', () => {
    it('a leased job goes to no other consumer', async (subject) => {
      const { queue, another, advance } = subject;
      const held = Promise.withResolvers<undefined>();
      const first = watch(queue, 'mail', () => held.promise, { concurrency: 1 });
      await queue.enqueue(acme, { topic: 'mail', payload: 'held' });
      await first.received(1);
      await advance(LEASE_MS / 2);
      assert.deepEqual(await drain({ ...subject, queue: await another() }, 'mail'), []);
      held.resolve(undefined);
      await first.stop();
    });

    it('the job of a dead consumer is redelivered once its lease expired', async ({ queue, another, advance }) => {
      // With no room for another job, so that it does not take its own job again.
      const dead = watch(queue, 'mail', hang, { concurrency: 1 });
      await queue.enqueue(acme, { topic: 'mail', payload: 1 });
      await dead.received(1);
      const alive = watch(await another(), 'mail');
      await advance(LEASE_MS + 1);
      const [job] = await alive.received(1);
      assert.deepEqual([job?.payload, job?.attempt], [1, 2]);
      await alive.stop();
    });

    it('a consumer that lost its lease cannot settle the job', async ({ queue, another, advance }) => {
      const late = Promise.withResolvers<undefined>();
      const first = watch(queue, 'mail', () => late.promise, { concurrency: 1 });
      await queue.enqueue(acme, { topic: 'mail', payload: 1 });
      await first.received(1);
      const second = watch(await another(), 'mail', async () => {
        throw new Error('not this time');
      });
      await advance(LEASE_MS + 1);
      await second.received(1);
      late.resolve(undefined);
      await first.stop();
      await second.stop();
      // Had the first one's completion counted, the job would be gone.
      await advance(LEASE_MS + 1);
      const third = watch(queue, 'mail');
      const [job] = await third.received(1);
      assert.deepEqual([job?.payload, job?.attempt], [1, 3]);
    });

    it('a job that takes its consumers down with it is dead in the end', async ({ queue, another, advance }) => {
      await queue.enqueue(acme, { topic: 'mail', payload: 'poison' });
      for (let death = 1; death <= 2; death += 1) {
        const dying = watch(await another(), 'mail', hang, { maxAttempts: 2 });
        await dying.received(1);
        // Frozen, as after a kill: it takes nothing more and settles nothing.
        void dying.stop();
        await advance(LEASE_MS + 1);
      }
      const last = watch(queue, 'mail', undefined, { maxAttempts: 2 });
      const dead = async () => {
        for (;;) {
          const found = await queue.dead('mail', 10);
          if (found.length > 0) return found;
          queue.notify('mail');
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      const [job] = await within(dead(), () => 'the job did not die');
      assert.deepEqual([job?.payload, job?.attempts], ['poison', 2]);
      assert.deepEqual(payloads(last), []);
    });
  });

  runner.describe('concurrency', () => {
    it('concurrency is used, and never exceeded', async ({ queue }) => {
      let now = 0;
      let most = 0;
      const watched = watch(
        queue,
        'mail',
        async () => {
          now += 1;
          most = Math.max(most, now);
          await new Promise((resolve) => setImmediate(resolve));
          await new Promise((resolve) => setImmediate(resolve));
          now -= 1;
          return undefined;
        },
        { concurrency: 4 },
      );
      for (let index = 0; index < 40; index += 1) await queue.enqueue(acme, { topic: 'mail', payload: index });
      await watched.received(40);
      await watched.stop();
      assert.ok(most <= 4, `${most} at once`);
      const release = Promise.withResolvers<undefined>();
      const full = watch(queue, 'print', () => release.promise, { concurrency: 4 });
      try {
        for (let index = 0; index < 9; index += 1) await queue.enqueue(acme, { topic: 'print', payload: index });
        await full.received(4);
        queue.notify('print');
        await queue.enqueue(acme, { topic: 'mail', payload: 'a write later' });
        assert.equal(full.jobs.length, 4);
      } finally {
        release.resolve(undefined);
      }
      await full.received(9);
    });

    it('concurrency changes while jobs run', async ({ queue }) => {
      const releases: (() => void)[] = [];
      const held = watch(queue, 'mail', () => new Promise((done) => releases.push(() => done(undefined))));
      // Without `resize` a host starts another consumer.
      if (held.resize === undefined) return;
      for (let index = 0; index < 12; index += 1) await queue.enqueue(acme, { topic: 'mail', payload: index });
      await held.received(1);
      held.resize(5);
      await held.received(5);
      held.resize(2);
      // Three of the five may end before another one is delivered.
      for (const release of releases.splice(0, 3)) release();
      await queue.enqueue(acme, { topic: 'print', payload: 'a write later' });
      await watch(queue, 'print').received(1);
      assert.equal(held.jobs.length, 5);
      releases.shift()?.();
      await held.received(6);
      held.resize(100);
      await held.received(12);
      for (const release of releases) release();
      await held.stop();
    });
  });
}
