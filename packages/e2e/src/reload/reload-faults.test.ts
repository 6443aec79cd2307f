import { expect, it } from 'vitest';
import { reloadFaults } from './faults/reload-faults.ts';

// A short run; `packages/e2e/scripts/reload-faults.ts` makes long ones, also on PostgreSQL.

it('SIGHUP fails no request and leaks nothing, whatever it changes', { timeout: 400_000 }, async () => {
  const report = await reloadFaults({ reloads: 3, seed: 20_261_121, storage: 'sqlite', clients: 1, pauseMs: 1_000 });
  expect(report.faults).toEqual([]);
  expect(report.hangups).toBeGreaterThanOrEqual(8);
  for (const [kind, count] of Object.entries(report.done)) expect([kind, count > 0]).toEqual([kind, true]);
});
