import { describe, expect, it } from 'vitest';
import { type Take, type Taken, TakeQueue } from './take-queue.ts';

const take = (key: string): Take => ({
  charges: [{ key, cost: 1, policy: { name: 'p', requests: 1, seconds: 1, burst: 1 } }],
  forced: false,
});

/** A queue whose statements are answered, or fail, when the test says so. */
function held(timeoutMs: number, width = 1) {
  const sent: { readonly takes: readonly Take[]; answer(): void; fail(): void }[] = [];
  const send = (takes: readonly Take[]): Promise<readonly Taken[]> =>
    new Promise((resolve, reject) => {
      const taken = takes.map((_, index) => ({ taken: true, used: [index] }));
      sent.push({ takes, answer: () => resolve(taken), fail: () => reject(new Error('broken')) });
    });
  return { sent, queue: new TakeQueue({ timeoutMs, width, send }) };
}

describe('calls of the limiter', () => {
  it('calls of the limiter that come during a statement share the next one', async () => {
    const { sent, queue } = held(60_000);
    const first = queue.take(take('a'));
    await expect.poll(() => sent.length).toBe(1);
    const others = ['b', 'c'].map((key) => queue.take(take(key)));
    sent[0]?.answer();
    expect(await first).toEqual({ taken: true, used: [0] });
    await expect.poll(() => sent.length).toBe(2);
    sent[1]?.answer();
    expect((await Promise.all(others)).map(({ used }) => used)).toEqual([[0], [1]]);
  });

  it('calls whose callers gave up are not sent', async () => {
    const { sent, queue } = held(20);
    const first = queue.take(take('a'));
    await expect.poll(() => sent.length).toBe(1);
    const late = queue.take(take('b'));
    const outcomes = Promise.allSettled([first, late]);
    const since = performance.now();
    await expect.poll(() => performance.now() - since > 20).toBe(true);
    sent[0]?.answer();
    const reason = { message: 'the database of the limits does not answer in time' };
    expect(await outcomes).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason }]);
    expect(sent).toHaveLength(1);
  });

  it('calls of the limiter fail with their statement, and the next ones go on', async () => {
    const { sent, queue } = held(60_000);
    const failing = Promise.allSettled([queue.take(take('a'))]);
    await expect.poll(() => sent.length).toBe(1);
    const next = queue.take(take('b'));
    sent[0]?.fail();
    expect(await failing).toMatchObject([{ status: 'rejected', reason: { message: 'broken' } }]);
    await expect.poll(() => sent.length).toBe(2);
    sent[1]?.answer();
    expect(await next).toEqual({ taken: true, used: [0] });
  });
});
