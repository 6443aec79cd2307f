import assert from 'node:assert/strict';
import type { RateDecision } from '@patchbay/core/plugin';
import { type RateLimiterSuite, ten, thirds } from './rate-limiter-under-test.ts';

/** One bucket: what it holds, how it fills, and what it reports about itself. */
export function bucketSuite({ it }: RateLimiterSuite): void {
  it('starts full, and is empty after its burst', async ({ take }) => {
    for (let count = 0; count < 10; count += 1) assert.equal(await take('a', 1, ten), true);
    assert.equal(await take('a', 1, ten), false);
  });

  it('lets nothing pass just before a unit is there, and one just when it is', async ({ take, pass }) => {
    await take('a', 10, ten);
    pass(99.9);
    assert.equal(await take('a', 1, ten), false);
    pass(0.1);
    assert.equal(await take('a', 1, ten), true);
    assert.equal(await take('a', 1, ten), false);
  });

  it('refills steadily, not at the edge of a window', async ({ take, pass }) => {
    let allowed = 0;
    for (let ms = 0; ms < 3_000; ms += 10) {
      if (await take('a', 1, ten)) allowed += 1;
      pass(10);
    }
    // The burst, and what came in within 2,990 ms.
    assert.equal(allowed, 10 + 29);
  });

  it('holds no more than its burst after any idle time', async ({ take, pass }) => {
    pass(86_400_000);
    assert.equal(await take('a', 10, ten), true);
    pass(86_400_000);
    assert.equal(await take('a', 10, ten), true);
    assert.equal(await take('a', 1, ten), false);
  });

  it('buckets are independent', async ({ take }) => {
    await take('a', 10, ten);
    assert.equal(await take('b', 10, ten), true);
    assert.equal(await take('a b', 10, ten), true);
  });

  it('distinguishes long keys and accepts sixteen charges at once', async ({ limiter, take }) => {
    const keys = Array.from({ length: 16 }, (_, index) => `${'k'.repeat(510)}${index + 10}`);
    const decisions = await limiter.consume(keys.map((key, index) => ({ key, cost: (index % 10) + 1, policy: ten })));
    assert.deepEqual(
      decisions.map(({ remaining }) => remaining),
      keys.map((_, index) => 9 - (index % 10)),
    );
    assert.equal(await take(keys[0] ?? '', 9, ten), true);
  });

  it('a key has one bucket, whatever the policy', async ({ limiter, take }) => {
    const larger = { name: 'larger', requests: 10, seconds: 1, burst: 20 };
    assert.equal(await take('a', 8, ten), true);
    const [decision] = await limiter.consume([{ key: 'a', cost: 5, policy: larger }]);
    assert.deepEqual([decision?.allowed, decision?.remaining], [true, 7]);
    assert.equal(await take('a', 1, ten), false);
  });

  it('a charge takes several units, or none', async ({ take }) => {
    assert.equal(await take('a', 7, ten), true);
    assert.equal(await take('a', 4, ten), false);
    assert.equal(await take('a', 3, ten), true);
  });

  it('never allows more than the burst at once', async ({ take, pass }) => {
    assert.equal(await take('a', 11, ten), false);
    pass(60_000);
    assert.equal(await take('a', 11, ten), false);
    assert.equal(await take('a', 10, ten), true);
  });

  it('a result contains the remaining tokens, the time to refill and the time to retry', async ({ limiter }) => {
    const ask = async (cost: number): Promise<RateDecision> => {
      const [decision] = await limiter.consume([{ key: 'a', cost, policy: ten }]);
      assert.ok(decision);
      return decision;
    };
    const first = await ask(4);
    assert.deepEqual([first.allowed, first.remaining, first.retryAfterSeconds], [true, 6, 0]);
    close(first.resetSeconds, 0.4);
    const refused = await ask(8);
    assert.deepEqual([refused.allowed, refused.remaining], [false, 6]);
    close(refused.retryAfterSeconds, 0.2);
    close(refused.resetSeconds, 0.4);
  });

  it('a retry after the announced wait succeeds', async ({ limiter, pass }) => {
    const charge = { key: 'a', cost: 2, policy: thirds };
    let refusals = 0;
    for (let round = 0; round < 50; round += 1) {
      const [decision] = await limiter.consume([charge]);
      assert.ok(decision);
      if (decision.allowed) continue;
      refusals += 1;
      pass(decision.retryAfterSeconds * 1_000);
      const [again] = await limiter.consume([charge]);
      assert.equal(again?.allowed, true);
    }
    assert.ok(refusals > 20);
  });
}

export function close(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) < 0.001, `${actual} is not about ${expected}`);
}
