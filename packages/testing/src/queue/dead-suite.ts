import assert from 'node:assert/strict';
import { type Job, PatchbayError } from '@patchbay/core/plugin';
import {
  acme,
  drain,
  isMarker,
  other,
  payloads,
  type QueueSuite,
  type QueueUnderTest,
  settled,
  watch,
} from './queue-under-test.ts';

/** Jobs whose attempts are used up are kept, shown, and brought back or removed. */
export function deadSuite({ runner, it }: QueueSuite): void {
  const die = async (subject: QueueUnderTest, dedupeKey?: string) => {
    const { queue } = subject;
    const watched = watch(
      queue,
      'mail',
      async (job) => {
        if (!isMarker(job)) throw new PatchbayError('storage_unavailable', 'out of order');
        return undefined;
      },
      { maxAttempts: 3, backoffMs: () => 0 },
    );
    await queue.enqueue(acme, { topic: 'mail', payload: 'fails', ...(dedupeKey && { dedupeKey }) });
    await watched.received(3);
    await settled(subject, watched, 'mail');
    await watched.stop();
    assert.deepEqual(payloads(watched), ['fails', 'fails', 'fails']);
    return await queue.dead('mail', 10);
  };

  runner.describe('dead jobs', () => {
    it('dead jobs are delivered no more, and listed with their errors', async (subject) => {
      const [dead, ...more] = await die(subject);
      assert.ok(dead);
      assert.deepEqual(more, []);
      const { topic, tenant, payload, attempts, error } = dead;
      assert.deepEqual(
        { topic, tenant, payload, attempts, error },
        {
          topic: 'mail',
          tenant: acme,
          payload: 'fails',
          attempts: 3,
          error: { code: 'storage_unavailable', message: 'out of order' },
        },
      );
      assert.deepEqual(await subject.queue.dead('print', 10), []);
      await subject.advance(86_400_000);
      assert.deepEqual(await drain(subject, 'mail'), []);
    });

    it('dead jobs are listed in the order of their last failure, up to the limit', async (subject) => {
      const { queue, advance } = subject;
      for (const payload of ['one', 'two', 'three']) await queue.enqueue(acme, { topic: 'mail', payload });
      const order = ['three', 'one', 'two'];
      for (const dying of order) {
        const handler = async ({ payload }: Job) => {
          if (payload === dying) throw new Error('no');
          return { postponeMs: 1_000 };
        };
        await drain(subject, 'mail', handler, { maxAttempts: 1 });
        await advance(1_001);
      }
      const dead = await queue.dead('mail', 10);
      assert.deepEqual(
        dead.map(({ payload }) => payload),
        order,
      );
      for (const { createdAt, diedAt } of dead) {
        for (const time of [createdAt, diedAt]) assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        assert.ok(createdAt <= diedAt, `it died at ${diedAt}, before ${createdAt}`);
      }
      assert.deepEqual(await queue.dead('mail', 2), dead.slice(0, 2));
    });

    it('revived jobs are delivered with all their attempts', async (subject) => {
      const { queue } = subject;
      const [dead] = await die(subject);
      assert.ok(dead);
      assert.equal(await queue.revive(other, dead.id), false);
      assert.equal(await queue.revive(acme, dead.id), true);
      assert.equal(await queue.revive(acme, dead.id), false);
      const watched = watch(queue, 'mail');
      const [job] = await watched.received(1);
      assert.deepEqual([job?.payload, job?.attempt], ['fails', 1]);
      assert.deepEqual(await queue.dead('mail', 10), []);
    });

    it('discarded jobs are gone', async ({ queue, ...subject }) => {
      const [dead] = await die({ queue, ...subject });
      assert.ok(dead);
      assert.equal(await queue.discard(other, dead.id), false);
      assert.equal(await queue.discard(acme, dead.id), true);
      assert.equal(await queue.discard(acme, dead.id), false);
      assert.deepEqual(await queue.dead('mail', 10), []);
    });

    it('release their key, and are retried only when it is free', async (subject) => {
      const { queue } = subject;
      const [dead] = await die(subject, 'k');
      assert.ok(dead);
      assert.equal(await queue.enqueue(acme, { topic: 'mail', payload: 'new', dedupeKey: 'k' }), 'enqueued');
      assert.equal(await queue.revive(acme, dead.id), false);
      assert.equal((await drain(subject, 'mail')).length, 1);
      assert.equal(await queue.revive(acme, dead.id), true);
      assert.equal(await queue.enqueue(acme, { topic: 'mail', payload: 'new', dedupeKey: 'k' }), 'duplicate');
    });

    it('a waiting job is neither revived nor discarded', async ({ queue }) => {
      const watched = watch(queue, 'mail', async () => ({ postponeMs: 1_000 }));
      await queue.enqueue(acme, { topic: 'mail', payload: 1 });
      const [job] = await watched.received(1);
      assert.ok(job);
      assert.equal(await queue.revive(acme, job.id), false);
      assert.equal(await queue.discard(acme, job.id), false);
    });
  });
}
