import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { startTimeout } from './timeout.ts';

it("a timeout releases its caller's signal once it has passed", async () => {
  const caller = new AbortController();
  const { signal } = startTimeout(1, caller.signal);
  await expect.poll(() => signal.aborted).toBe(true);
  expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
});
