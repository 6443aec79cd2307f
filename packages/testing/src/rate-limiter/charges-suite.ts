import assert from 'node:assert/strict';
import { close } from './bucket-suite.ts';
import { type RateLimiterSuite, ten, thirds } from './rate-limiter-under-test.ts';

/** Several buckets at once, many callers at once, and corrections. */
export function chargesSuite({ it }: RateLimiterSuite): void {
  it('a charge takes from all buckets or from none', async ({ limiter, take }) => {
    await take('b', 3, thirds);
    const decisions = await limiter.consume([
      { key: 'a', cost: 10, policy: ten },
      { key: 'b', cost: 1, policy: thirds },
    ]);
    assert.deepEqual(
      decisions.map(({ allowed, remaining }) => [allowed, remaining]),
      [
        [true, 10],
        [false, 0],
      ],
    );
    assert.equal(await take('a', 10, ten), true);
  });

  it('answers for each charge, in their order', async ({ limiter }) => {
    const decisions = await limiter.consume([
      { key: 'a', cost: 1, policy: ten },
      { key: 'b', cost: 2, policy: thirds },
      { key: 'c', cost: 3, policy: ten },
    ]);
    assert.deepEqual(
      decisions.map(({ allowed, remaining }) => [allowed, remaining]),
      [
        [true, 9],
        [true, 1],
        [true, 7],
      ],
    );
  });

  it('allows exactly the burst out of 2,000 concurrent charges', async ({ take }) => {
    const policy = { name: 'many', requests: 1, seconds: 3_600, burst: 500 };
    const taken = await Promise.all(Array.from({ length: 2_000 }, () => take('a', 1, policy)));
    assert.equal(taken.filter(Boolean).length, 500);
  });

  it('allows exactly the smaller of two buckets out of 500 concurrent charges', async ({ limiter, take }) => {
    const large = { name: 'large', requests: 1, seconds: 3_600, burst: 300 };
    const small = { name: 'small', requests: 1, seconds: 3_600, burst: 120 };
    const decisions = await Promise.all(
      Array.from({ length: 500 }, () =>
        limiter.consume([
          { key: 'large', cost: 1, policy: large },
          { key: 'small', cost: 1, policy: small },
        ]),
      ),
    );
    assert.equal(decisions.filter((each) => each.every(({ allowed }) => allowed)).length, 120);
    assert.equal(await take('large', 181, large), false);
    assert.equal(await take('large', 180, large), true);
  });

  it('a refund restores unused units, up to a full bucket', async ({ limiter, take }) => {
    await take('a', 8, ten);
    await limiter.adjust([{ key: 'a', cost: -3, policy: ten }]);
    assert.equal(await take('a', 6, ten), false);
    assert.equal(await take('a', 5, ten), true);
    await limiter.adjust([{ key: 'a', cost: -1_000, policy: ten }]);
    assert.equal(await take('a', 11, ten), false);
    assert.equal(await take('a', 10, ten), true);
  });

  it('lets an adjustment overdraw a bucket, and rejects charges until it recovers', async ({ limiter, take, pass }) => {
    await take('a', 5, ten);
    await limiter.adjust([{ key: 'a', cost: 15, policy: ten }]);
    const [decision] = await limiter.consume([{ key: 'a', cost: 1, policy: ten }]);
    assert.ok(decision);
    assert.deepEqual([decision.allowed, decision.remaining], [false, 0]);
    close(decision.retryAfterSeconds, 1.1);
    pass(1_099);
    assert.equal(await take('a', 1, ten), false);
    pass(1);
    assert.equal(await take('a', 1, ten), true);
  });
}
