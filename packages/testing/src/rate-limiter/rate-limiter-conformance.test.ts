import { createMemoryRateLimiter } from '@patchbay/core';
import type { RateCharge, RateDecision, RateLimiter } from '@patchbay/core/plugin';
import { describe, expect, it } from 'vitest';
import { rateLimiterConformance } from './rate-limiter-conformance.ts';
import type { TestTime } from './rate-limiter-under-test.ts';

/** Names of the tests that a limiter does not pass. */
async function failuresOf(create: (time: TestTime) => RateLimiter): Promise<readonly string[]> {
  const tests: { name: string; body: () => Promise<void> | void }[] = [];
  const runner = {
    describe: (_: string, body: () => void) => body(),
    it: (name: string, body: () => Promise<void> | void) => void tests.push({ name, body }),
  };
  rateLimiterConformance(runner, { create });
  const failed: string[] = [];
  for (const { name, body } of tests) await Promise.resolve(body()).catch(() => failed.push(name));
  return failed;
}

const sound = (time: TestTime) => createMemoryRateLimiter({ monotonic: () => time.now() });

/** A limiter that is sound but for what `spoil` makes of its methods. */
const spoilt = (spoil: (limiter: RateLimiter, time: TestTime) => Partial<RateLimiter>) => (time: TestTime) => {
  const limiter = sound(time);
  return { ...limiter, ...spoil(limiter, time) };
};

/** Counts from zero in every window, as most limiters do. */
function fixedWindow(time: TestTime): RateLimiter {
  const windows = new Map<string, { until: number; used: number }>();
  const windowOf = ({ key, policy }: RateCharge) => {
    const known = windows.get(key);
    if (known && known.until > time.now()) return known;
    const fresh = { until: time.now() + (policy.burst / policy.requests) * policy.seconds * 1_000, used: 0 };
    windows.set(key, fresh);
    return fresh;
  };
  return {
    async consume(charges) {
      const fits = charges.map((charge) => windowOf(charge).used + charge.cost <= charge.policy.burst);
      return charges.map((charge, index): RateDecision => {
        const window = windowOf(charge);
        if (fits.every(Boolean)) window.used += charge.cost;
        const left = (window.until - time.now()) / 1_000;
        const allowed = fits[index] === true;
        const remaining = Math.max(0, charge.policy.burst - window.used);
        return { allowed, remaining, resetSeconds: left, retryAfterSeconds: allowed ? 0 : left };
      });
    },
    async adjust(charges) {
      for (const charge of charges) windowOf(charge).used = Math.max(0, windowOf(charge).used + charge.cost);
    },
  };
}

describe('the conformance suite of rate limiters', () => {
  it('passes a sound limiter', async () => {
    expect(await failuresOf(sound)).toEqual([]);
  });

  it('catches a limiter that counts in fixed windows', async () => {
    const failed = await failuresOf(fixedWindow);
    expect(failed).toContain('lets nothing pass just before a unit is there, and one just when it is');
    expect(failed).toContain('refills steadily, not at the edge of a window');
  });

  it('catches a limiter that looks first and takes later', async () => {
    const failed = await failuresOf(
      spoilt((limiter) => ({
        async consume(charges) {
          const looked = await limiter.consume(charges.map((charge) => ({ ...charge, cost: 0 })));
          const enough = charges.every(({ cost }, index) => (looked[index]?.remaining ?? 0) >= cost);
          await new Promise(setImmediate);
          if (!enough) return await limiter.consume(charges);
          await limiter.adjust(charges);
          return looked.map((decision, index) => ({
            ...decision,
            remaining: decision.remaining - (charges[index]?.cost ?? 0),
          }));
        },
      })),
    );
    expect(failed).toContain('allows exactly the burst out of 2,000 concurrent charges');
  });

  it('catches a limiter that takes from one bucket when another refuses', async () => {
    const failed = await failuresOf(
      spoilt((limiter) => ({
        async consume(charges) {
          const each: RateDecision[] = [];
          for (const charge of charges) each.push(...(await limiter.consume([charge])));
          return each;
        },
      })),
    );
    expect(failed).toEqual([
      'a charge takes from all buckets or from none',
      'allows exactly the smaller of two buckets out of 500 concurrent charges',
    ]);
  });

  it('catches a limiter that counts what it refused', async () => {
    const failed = await failuresOf(
      spoilt((limiter) => ({
        async consume(charges) {
          const decisions = await limiter.consume(charges);
          if (decisions.some(({ allowed }) => !allowed)) await limiter.adjust(charges);
          return decisions;
        },
      })),
    );
    expect(failed).toContain('a retry after the announced wait succeeds');
  });

  it('catches a limiter that promises too much', async () => {
    const failed = await failuresOf(
      spoilt((limiter) => ({
        async consume(charges) {
          const decisions = await limiter.consume(charges);
          return decisions.map((each) => ({ ...each, retryAfterSeconds: each.retryAfterSeconds / 2 }));
        },
      })),
    );
    expect(failed).toContain('a retry after the announced wait succeeds');
    expect(failed).toContain('a result contains the remaining tokens, the time to refill and the time to retry');
  });

  it('catches a limiter that mixes buckets up', async () => {
    const failed = await failuresOf(
      spoilt((limiter) => ({
        consume: (charges) => limiter.consume(charges.map((charge) => ({ ...charge, key: 'all' }))),
      })),
    );
    expect(failed).toContain('buckets are independent');
  });

  it.each([
    [
      'cuts keys',
      ({ key }: RateCharge) => key.slice(0, 255),
      'distinguishes long keys and accepts sixteen charges at once',
    ],
    [
      'has a bucket for each policy',
      ({ key, policy }: RateCharge) => `${policy.name} ${key}`,
      'a key has one bucket, whatever the policy',
    ],
  ])('catches a limiter that %s', async (_, keyOf, test) => {
    const renamed = (charges: readonly RateCharge[]) => charges.map((charge) => ({ ...charge, key: keyOf(charge) }));
    const failed = await failuresOf(
      spoilt((limiter) => ({
        consume: (charges) => limiter.consume(renamed(charges)),
        adjust: (charges) => limiter.adjust(renamed(charges)),
      })),
    );
    expect(failed).toEqual([test]);
  });

  it('catches a limiter that corrects nothing', async () => {
    const failed = await failuresOf(spoilt(() => ({ adjust: async () => {} })));
    expect(failed).toEqual([
      'a refund restores unused units, up to a full bucket',
      'lets an adjustment overdraw a bucket, and rejects charges until it recovers',
    ]);
  });

  it('catches a limiter that never refills', async () => {
    const failed = await failuresOf(() => sound({ now: () => 0 }));
    expect(failed).toContain('holds no more than its burst after any idle time');
  });
});
