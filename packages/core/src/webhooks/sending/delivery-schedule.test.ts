import { describe, expect, it } from 'vitest';
import { delayBefore, maxAttempts } from './delivery-schedule.ts';

const middle = { random: () => 0.5 };
const attempts = Array.from({ length: maxAttempts }, (_, index) => index + 1);

describe('delayBefore', () => {
  it('follows the schedule, and ends', () => {
    const seconds = attempts.map((attempt) => Number(delayBefore(attempt, middle)) / 1_000);
    expect(seconds).toEqual([0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    expect(delayBefore(maxAttempts + 1, middle)).toBeUndefined();
    expect(delayBefore(maxAttempts + 1, { ...middle, retryAfterMs: 1 })).toBeUndefined();
  });

  it('varies by a fifth', () => {
    expect(delayBefore(2, { random: () => 0 })).toBe(4_000);
    expect(delayBefore(2, { random: () => 1 })).toBe(6_000);
    expect(delayBefore(1, { random: () => 1 })).toBe(0);
  });

  it.each([
    [0, 0, 5_000],
    [7_000, 0, 7_000],
    [7_000, 1, 8_400],
    [9_999, 1, 10_000],
    [Number.MAX_SAFE_INTEGER, 0.5, 10_000],
  ])('when %i ms are requested, waits within the bounds', (retryAfterMs, random, expected) => {
    expect(delayBefore(2, { random: () => random, retryAfterMs })).toBe(expected);
  });
});
