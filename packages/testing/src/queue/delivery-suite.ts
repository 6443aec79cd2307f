import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type { Job } from '@patchbay/core/plugin';
import { assertRefuses } from '../assert-refuses.ts';
import { acme, other, payloads, type QueueSuite, settled, watch, within } from './queue-under-test.ts';

/** Jobs reach a consumer, when they are due, and once. */
export function deliverySuite({ runner, it }: QueueSuite): void {
  runner.describe('delivery', () => {
    it('a job comes as it was enqueued, at its first attempt', async ({ queue }) => {
      const payload = { id: 'x', list: [1, null, { text: 'ü "\\' }] };
      const watched = watch(queue, 'mail');
      assert.equal(await queue.enqueue(other, { topic: 'mail', payload }), 'enqueued');
      const [job] = await watched.received(1);
      assert.ok(job);
      const { topic, tenant, attempt } = job;
      assert.deepEqual(
        { topic, tenant, attempt, payload: job.payload },
        { topic: 'mail', tenant: other, attempt: 1, payload },
      );
      assert.match(job.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.equal(job.signal.aborted, false);
    });

    it('jobs enqueued before the first consumer arrive in the order in which they are due', async (subject) => {
      const { queue, advance } = subject;
      for (const payload of ['first', 'second', 'third']) {
        await queue.enqueue(acme, { topic: 'mail', payload });
        await advance(1);
      }
      const watched = watch(queue, 'mail', undefined, { concurrency: 1 });
      await settled(subject, watched, 'mail');
      assert.deepEqual(payloads(watched), ['first', 'second', 'third']);
    });

    it('each consumer gets the jobs of its topic', async (subject) => {
      const { queue } = subject;
      const [mail, print] = [watch(queue, 'mail'), watch(queue, 'print')];
      await queue.enqueue(acme, { topic: 'mail', payload: 1 });
      await queue.enqueue(acme, { topic: 'print', payload: 2 });
      await settled(subject, mail, 'mail');
      await settled(subject, print, 'print');
      assert.deepEqual([payloads(mail), payloads(print)], [[1], [2]]);
    });

    it('300 jobs reach four consumers of two queues once each', async ({ queue, another }) => {
      const second = await another();
      const found: number[] = [];
      const complete = Promise.withResolvers<void>();
      const handler = async ({ payload }: Job) => {
        found.push(Number(payload));
        if (found.length === 300) complete.resolve();
        return undefined;
      };
      const consumers = [queue, queue, second, second].map((each) => watch(each, 'mail', handler, { concurrency: 5 }));
      await Promise.all(
        Array.from({ length: 300 }, (_, index) =>
          (index % 2 === 0 ? queue : second).enqueue(index % 3 === 0 ? acme : other, { topic: 'mail', payload: index }),
        ),
      );
      await within(complete.promise, () => `${found.length} of 300 jobs came`);
      await Promise.all(consumers.map((each) => each.stop()));
      found.sort((one, two) => one - two);
      assert.deepEqual(
        found,
        Array.from({ length: 300 }, (_, index) => index),
      );
    });

    it('a delayed job comes when its time has come, and not before', async (subject) => {
      const { queue, advance } = subject;
      const watched = watch(queue, 'mail');
      await queue.enqueue(acme, { topic: 'mail', payload: 'late', delayMs: 3_600_000 });
      await settled(subject, watched, 'mail');
      await advance(3_590_000);
      await queue.enqueue(acme, { topic: 'mail', payload: 'early' });
      await settled(subject, watched, 'mail');
      assert.deepEqual(payloads(watched), ['early']);
      // Counted first: a queue may poll by itself as soon as the job is due.
      const before = watched.jobs.length;
      await advance(20_000);
      queue.notify('mail');
      await watched.received(before + 1);
      assert.deepEqual(payloads(watched), ['early', 'late']);
    });

    it('rejects an invalid job', async ({ queue }) => {
      const wrong = [
        { topic: '', payload: 1 },
        { topic: 'a b', payload: 1 },
        { topic: 'mail', payload: 1, delayMs: -1 },
        { topic: 'mail', payload: 1, delayMs: Number.NaN },
        { topic: 'mail', payload: 1, delayMs: Number.POSITIVE_INFINITY },
        { topic: 'x'.repeat(101), payload: 1 },
        { topic: 'mail\n', payload: 1 },
        { topic: 'mail', payload: 1, dedupeKey: 'x'.repeat(256) },
        { topic: 'mail', payload: 1, dedupeKey: '' },
        { topic: 'mail', payload: 'x'.repeat(70_000) },
      ];
      for (const job of wrong)
        await assertRefuses(`enqueue of ${inspect(job)}`, () => queue.enqueue(acme, job), TypeError);
    });
  });

  runner.describe('deduplication', () => {
    it('drops a second job with the key, until the first is done', async (subject) => {
      const { queue } = subject;
      const job = { topic: 'mail', payload: 1, dedupeKey: 'k' };
      const both = await Promise.all([queue.enqueue(acme, job), queue.enqueue(acme, job)]);
      assert.deepEqual(both.sort(), ['duplicate', 'enqueued']);
      const held = Promise.withResolvers<undefined>();
      const watched = watch(queue, 'mail', () => held.promise);
      await watched.received(1);
      assert.equal(await queue.enqueue(acme, job), 'duplicate');
      held.resolve(undefined);
      await watched.stop();
      assert.equal(await queue.enqueue(acme, job), 'enqueued');
      await settled(subject, watch(queue, 'mail'), 'mail');
      assert.deepEqual(payloads(watched), [1]);
    });

    it('knows keys by tenant and topic', async ({ queue }) => {
      const enqueue = async (tenant: typeof acme, topic: string) =>
        await queue.enqueue(tenant, { topic, payload: 1, dedupeKey: 'k' });
      assert.equal(await enqueue(acme, 'mail'), 'enqueued');
      assert.equal(await enqueue(other, 'mail'), 'enqueued');
      assert.equal(await enqueue(acme, 'print'), 'enqueued');
      assert.equal(await enqueue(acme, 'print'), 'duplicate');
    });
  });
}
