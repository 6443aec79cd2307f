import { PatchbayError } from '@patchbay/contracts/errors';
import type { ExecutionRow } from '@patchbay/contracts/rows';
import { tenantId } from '@patchbay/contracts/tenant';
import { expect, it, vi } from 'vitest';
import { RunningExecutions } from './execution-engine.ts';

it('writes the ends that it has kept, whatever becomes of one of them', async () => {
  const running = new RunningExecutions();
  for (const id of ['one', 'two', 'three']) keep(running, id);
  const asked: string[] = [];
  const write = async ({ started: { id } }: { readonly started: ExecutionRow }) => {
    asked.push(id);
    if (id === 'one') throw new Error('the storage does not take this');
  };
  await expect(running.writeKept(write)).rejects.toThrow('does not take this');
  await expect(running.writeKept(write)).rejects.toThrow('does not take this');
  expect(asked).toEqual(['one', 'two', 'three', 'one']);
});

it('asks a storage that is away once', async () => {
  const running = new RunningExecutions();
  for (const id of ['one', 'two']) keep(running, id);
  const write = vi.fn<() => Promise<never>>(() =>
    Promise.reject(new PatchbayError('storage_unavailable', 'it is away')),
  );
  await expect(running.writeKept(write)).rejects.toMatchObject({ code: 'storage_unavailable' });
  expect(write).toHaveBeenCalledTimes(1);
});

function keep(running: RunningExecutions, id: string): void {
  running.keep({ tenant: tenantId('acme'), started: { id } as ExecutionRow, set: {} });
}
