import { describe, expect, it } from 'vitest';
import { createStoppedClock } from '../functions/fixtures/function-parts.ts';
import { type Bucket, createMemoryRateLimiter } from './memory-rate-limiter.ts';

const policy = { name: 'ten', requests: 10, seconds: 1, burst: 10 };

describe('the rate limiter in memory', () => {
  it('buckets that are full again are forgotten while others are in use', async () => {
    const clock = createStoppedClock();
    const buckets = new Map<string, Bucket>();
    const limiter = createMemoryRateLimiter(clock, buckets);
    for (let index = 0; index < 10_000; index += 1) {
      await limiter.consume([{ key: `once ${index}`, cost: 5, policy }]);
      clock.advance(1);
    }
    // Each is in use for half a second, kept for one more, and found within as many steps as there are buckets.
    expect(buckets.size).toBeLessThan(3_600);
    clock.advance(2_000);
    for (let index = 0; index < 3_000; index += 1) await limiter.consume([{ key: 'stays', cost: 0, policy }]);
    expect([...buckets.keys()]).toEqual(['stays']);
  });

  it('a caller that goes on sending requests keeps its bucket, though it is full again each time', async () => {
    const clock = createStoppedClock();
    const buckets = new Map<string, Bucket>();
    const limiter = createMemoryRateLimiter(clock, buckets);
    const charge = { key: 'fast', cost: 1, policy: { ...policy, requests: 1_000_000 } };
    await limiter.consume([charge]);
    const bucket = buckets.get('fast');
    for (let index = 0; index < 1_000; index += 1) {
      clock.advance(10);
      await limiter.consume([charge]);
    }
    expect(buckets.get('fast')).toBe(bucket);
  });

  it('a bucket in use is kept', async () => {
    const clock = createStoppedClock();
    const limiter = createMemoryRateLimiter(clock);
    await limiter.consume([{ key: 'slow', cost: 10, policy: { ...policy, seconds: 86_400 } }]);
    clock.advance(60_000);
    for (let index = 0; index < 1_000; index += 1) await limiter.consume([{ key: 'other', cost: 0, policy }]);
    const [decision] = await limiter.consume([{ key: 'slow', cost: 1, policy: { ...policy, seconds: 86_400 } }]);
    expect(decision?.allowed).toBe(false);
  });
});
