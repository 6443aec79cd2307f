import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createThrottle } from './lane-dependencies.ts';

const { signal } = new AbortController();
const clock = { monotonic: () => performance.now() };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a throttle lets a burst begin at once, and then a fixed number per second, in order', async () => {
  const throttle = createThrottle(() => 100, clock);
  const begun: number[] = [];
  for (let number = 0; number < 400; number += 1) void throttle.next(signal).then(() => begun.push(number));
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toHaveLength(200);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(begun).toHaveLength(300);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(begun).toEqual(Array.from({ length: 400 }, (_, number) => number));
});

it('an aborted wait ends at once', async () => {
  const throttle = createThrottle(() => 1, clock);
  const leaving = new AbortController();
  const waiting = throttle.next(leaving.signal).then(() => throttle.next(leaving.signal));
  leaving.abort();
  await waiting;
  await throttle.next(leaving.signal);
  expect(vi.getTimerCount()).toBe(0);
});
