import assert from 'node:assert/strict';
import { acme, drain, type QueueSuite } from './queue-under-test.ts';

/** Failed jobs are retried, not before their time; postponed jobs do not count as attempts. */
export function attemptsSuite({ runner, it }: QueueSuite): void {
  runner.describe('attempts', () => {
    it('a failed job comes again after the backoff, and not before', async (subject) => {
      const asked: [number, unknown][] = [];
      const failure = new Error('no');
      const backoffMs = (attempt: number, error: unknown) => {
        asked.push([attempt, error]);
        return 10_000 * attempt;
      };
      const attempts = async () =>
        (await drain(subject, 'mail', () => Promise.reject(failure), { backoffMs })).map(({ attempt }) => attempt);
      await subject.queue.enqueue(acme, { topic: 'mail', payload: 1 });
      assert.deepEqual(await attempts(), [1]);
      await subject.advance(9_000);
      assert.deepEqual(await attempts(), []);
      await subject.advance(2_000);
      assert.deepEqual(await attempts(), [2]);
      await subject.advance(19_000);
      assert.deepEqual(await attempts(), []);
      await subject.advance(2_000);
      assert.deepEqual(await attempts(), [3]);
      assert.deepEqual(asked, [
        [1, failure],
        [2, failure],
        [3, failure],
      ]);
    });

    it('a job that is put off comes again at its time, and at the same attempt', async (subject) => {
      const { queue, advance } = subject;
      const put = async () => await drain(subject, 'mail', async () => ({ postponeMs: 5_000 }), { maxAttempts: 1 });
      await queue.enqueue(acme, { topic: 'mail', payload: 1 });
      for (let round = 1; round <= 3; round += 1) {
        assert.deepEqual(
          (await put()).map(({ attempt }) => attempt),
          [1],
        );
        await advance(4_000);
        assert.deepEqual(await put(), []);
        await advance(1_001);
      }
      assert.deepEqual(
        (await drain(subject, 'mail')).map(({ attempt }) => attempt),
        [1],
      );
      await advance(10_000);
      assert.deepEqual(await drain(subject, 'mail'), []);
      assert.deepEqual(await queue.dead('mail', 10), []);
    });

    it('a job that is done comes no more', async (subject) => {
      await subject.queue.enqueue(acme, { topic: 'mail', payload: 1 });
      assert.equal((await drain(subject, 'mail')).length, 1);
      await subject.advance(86_400_000);
      assert.deepEqual(await drain(subject, 'mail'), []);
    });
  });
}
