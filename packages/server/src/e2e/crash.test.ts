import { expect, it } from 'vitest';
import { crashRun } from './crash/crash-run.ts';

// A short run; `packages/server/scripts/crash.ts` makes long ones.

it('loses nothing that it acknowledged when it is killed', { timeout: 120_000 }, async () => {
  const report = await crashRun(20_260_101, 2, 150);
  expect(report.faults).toEqual([]);
  expect(report.acknowledged).toBeGreaterThan(1);
});
