import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { startTimeout } from './timeout.ts';

it('lets go of the signal of its caller once the time is up', async () => {
  const caller = new AbortController();
  const { signal } = startTimeout(1, caller.signal);
  await expect.poll(() => signal.aborted).toBe(true);
  expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
});
