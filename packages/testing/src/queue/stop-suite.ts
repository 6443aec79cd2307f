import assert from 'node:assert/strict';
import { acme, drain, LEASE_MS, payloads, type QueueSuite, watch, within } from './queue-under-test.ts';

/** A stop waits for running jobs, and takes no new ones. */
export function stopSuite({ runner, it }: QueueSuite): void {
  runner.describe('stopping', () => {
    it('a stopping consumer finishes its jobs and takes no more', async (subject) => {
      const { queue, advance } = subject;
      const release = Promise.withResolvers<undefined>();
      const watched = watch(queue, 'mail', () => release.promise, { concurrency: 1 });
      await queue.enqueue(acme, { topic: 'mail', payload: 1 });
      await queue.enqueue(acme, { topic: 'mail', payload: 2 });
      await watched.received(1);
      let stopped = false;
      const stopping = watched.stop().then(() => {
        stopped = true;
      });
      await queue.enqueue(acme, { topic: 'other', payload: 'a write later' });
      assert.equal(stopped, false);
      release.resolve(undefined);
      await stopping;
      await advance(LEASE_MS + 1);
      const next = await drain(subject, 'mail');
      assert.deepEqual([payloads(watched), next.map(({ payload }) => payload)], [[1], [2]]);
    });

    it('a stopping queue aborts its handlers and keeps unfinished jobs', async ({ queue, another }) => {
      const watched = watch(
        queue,
        'mail',
        async ({ signal }) => {
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
          return { postponeMs: 0 };
        },
        { concurrency: 1 },
      );
      await queue.enqueue(acme, { topic: 'mail', payload: 1 });
      await watched.received(1);
      await within(Promise.resolve(queue.stop?.()), () => 'the queue did not stop');
      const next = watch(await another(), 'mail');
      const [job] = await next.received(1);
      assert.deepEqual([job?.payload, job?.attempt], [1, 1]);
    });
  });
}
