import assert from 'node:assert/strict';
import { acme, drain, type QueueSuite, watch } from './queue-under-test.ts';

/** Jobs outlive a restart, if the queue claims so. */
export function durableSuite({ runner, options, it }: QueueSuite): void {
  if (options.capabilities?.includes('durable') !== true) return;
  runner.describe('a restart', () => {
    it('loses no job, waiting, delayed or dead', async (subject) => {
      const { queue, reopen, advance } = subject;
      assert.ok(reopen, 'what is durable can be reopened');
      const failing = watch(queue, 'mail', () => Promise.reject(new Error('no')), { maxAttempts: 1 });
      await queue.enqueue(acme, { topic: 'mail', payload: 'dead' });
      await failing.received(1);
      await failing.stop();
      await queue.enqueue(acme, { topic: 'mail', payload: 'waiting' });
      await queue.enqueue(acme, { topic: 'mail', payload: 'late', delayMs: 60_000 });
      const restarted = { ...subject, queue: await reopen() };
      const received = async () => (await drain(restarted, 'mail')).map(({ payload }) => payload);
      assert.deepEqual(await received(), ['waiting']);
      assert.deepEqual(
        (await restarted.queue.dead('mail', 9)).map(({ payload }) => payload),
        ['dead'],
      );
      await advance(60_000);
      assert.deepEqual(await received(), ['late']);
    });
  });
}
