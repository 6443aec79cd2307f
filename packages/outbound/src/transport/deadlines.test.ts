import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { Deadlines } from './deadlines.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it('a deadline waits for longer than a timer can', async () => {
  const timer = vi.spyOn(globalThis, 'setTimeout');
  const expire = vi.fn<(message: string) => void>();
  const month = 30 * 24 * 3_600_000;
  const deadlines = new Deadlines({ connectMs: month, firstByteMs: month, idleMs: month, totalMs: month }, expire);
  await delay(20);
  deadlines.clear();
  // Test files share a worker: shorter timers can belong to what another file has just stopped.
  const long = timer.mock.calls.map(([, ms]) => Number(ms)).filter((ms) => ms > 24 * 3_600_000);
  expect(long).toEqual([2 ** 31 - 1]);
  expect(expire).not.toHaveBeenCalled();
});
