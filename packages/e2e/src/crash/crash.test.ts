import { expect, it } from 'vitest';
import { isFullSize } from '../driver/is-full-size.ts';
import { crashRun } from './crash-run.ts';
import { killWhileRunning } from './kill-while-running.ts';

// Short runs; `npm run faults:crash` and `npm run faults:running` make long ones.

it('a killed server loses nothing that it acknowledged', { timeout: 300_000 }, async () => {
  const report = await crashRun(20_260_101, isFullSize ? 5 : 1, 80);
  expect(report.faults).toEqual([]);
  expect(report.acknowledged).toBeGreaterThan(1);
});

it('a killed server leaves no process behind, and marks its executions interrupted at the next start', async () => {
  const report = await killWhileRunning(3);
  expect(report).toMatchObject({ running: 3, statuses: ['interrupted'], survivors: [], folders: 1 });
});
