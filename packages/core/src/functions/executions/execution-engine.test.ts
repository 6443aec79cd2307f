import { PatchbayError } from '@patchbay/contracts/errors';
import { expect, it, vi } from 'vitest';
import { RunningExecutions } from './execution-engine.ts';

it('the running executions write everything they have kept, even if one of the writes fails', async () => {
  const running = new RunningExecutions();
  const asked: string[] = [];
  for (const id of ['one', 'two', 'three']) {
    running.keep(id, async () => {
      asked.push(id);
      if (id === 'one') throw new Error('the storage does not take this');
    });
  }
  await expect(running.writeKept()).rejects.toThrow('does not take this');
  await expect(running.writeKept()).rejects.toThrow('does not take this');
  expect(asked).toEqual(['one', 'two', 'three', 'one']);
});

it('the running executions try a storage that is down only once', async () => {
  const running = new RunningExecutions();
  const write = vi.fn<() => Promise<never>>(() =>
    Promise.reject(new PatchbayError('storage_unavailable', 'it is away')),
  );
  for (const id of ['one', 'two']) running.keep(id, write);
  await expect(running.writeKept()).rejects.toMatchObject({ code: 'storage_unavailable' });
  expect(write).toHaveBeenCalledTimes(1);
});
