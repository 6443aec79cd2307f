import type { Logger } from '@patchbay/contracts/context';
import type { RateLimiter } from '@patchbay/contracts/rate-limiter';
import { describe, expect, it } from 'vitest';
import { createMemoryRateLimiter } from '../built-in/memory-rate-limiter.ts';
import { createStoppedClock } from '../functions/fixtures/function-parts.ts';
import { insureRateLimiter } from './insured-rate-limiter.ts';

const policy = { name: 'ten', requests: 10, seconds: 1, burst: 10 };

/** A remote limiter that can be broken, and counts how often it was called. */
function setUp() {
  const clock = createStoppedClock();
  const lines: string[] = [];
  const write = (message: string) => void lines.push(message);
  const logger: Logger = { debug: write, info: write, warn: write, error: write };
  const state = { mode: 'up' as 'up' | 'down' | 'silent', asked: 0 };
  const remote = createMemoryRateLimiter(clock);
  const answer = async <T>(call: () => Promise<T>): Promise<T> => {
    state.asked += 1;
    if (state.mode === 'down') throw new Error('connection refused');
    if (state.mode === 'silent') return await new Promise<T>(() => {});
    return await call();
  };
  const primary: RateLimiter = {
    consume: (charges) => answer(() => remote.consume(charges)),
    adjust: (charges) => answer(() => remote.adjust(charges)),
  };
  const limiter = insureRateLimiter({ primary, standIn: createMemoryRateLimiter(clock), clock, logger });
  const take = async (cost: number) => (await limiter.consume([{ key: 'a', cost, policy }]))[0];
  return { clock, lines, state, limiter, take };
}

describe('a rate limiter with insurance', () => {
  it('the mounted limiter is used while it responds', async () => {
    const { state, take, limiter } = setUp();
    await take(4);
    expect(await take(4)).toMatchObject({ allowed: true, remaining: 2 });
    expect(state.asked).toBe(2);
    expect(await limiter.health()).toEqual({ status: 'pass' });
  });

  it.each(['down', 'silent'] as const)(
    'the limiter counts by itself while the mounted limiter is %s, and reports it',
    async (mode) => {
      const { state, take, limiter, lines } = setUp();
      state.mode = mode;
      const decisions = [await take(6), await take(6), await take(4)];
      expect(decisions.map((decision) => decision?.allowed)).toEqual([true, false, true]);
      // Only the first one waited for it.
      expect(state.asked).toBe(1);
      expect(await limiter.health()).toMatchObject({ status: 'warn' });
      expect(lines).toHaveLength(1);
    },
  );

  it('the limiter stays exact while 2,000 callers wait for a silent limiter', async () => {
    const { state, take } = setUp();
    state.mode = 'silent';
    const decisions = await Promise.all(Array.from({ length: 2_000 }, () => take(1)));
    expect(decisions.filter((decision) => decision?.allowed)).toHaveLength(10);
  });

  it('the mounted limiter is retried once a second, with one request, and used again once it responds', async () => {
    const { clock, state, take, limiter, lines } = setUp();
    state.mode = 'down';
    await take(1);
    clock.advance(1_000);
    await Promise.all([take(1), take(1), take(1)]);
    expect(state.asked).toBe(2);
    state.mode = 'up';
    clock.advance(1_000);
    await take(1);
    await take(1);
    expect(state.asked).toBe(4);
    expect(await limiter.health()).toEqual({ status: 'pass' });
    expect(lines.at(-1)).toBe('the rate limiter responds again');
  });

  it('adjustments go to the limiter that counts', async () => {
    const { state, take, limiter } = setUp();
    state.mode = 'down';
    await take(10);
    await limiter.adjust([{ key: 'a', cost: -3, policy }]);
    expect(await take(3)).toMatchObject({ allowed: true, remaining: 0 });
  });
});
