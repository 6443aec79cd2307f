import { expect, it } from 'vitest';
import { isFullSize } from '../driver/is-full-size.ts';
import { countAtOnce } from './count-at-once.ts';
import { spendAtOnce } from './spend-at-once.ts';

// Short runs; `npm run faults:accounting` makes long ones.

it('clients that spend strict budgets at the same time overspend none, and use up each of them', async () => {
  const report = await spendAtOnce({ seed: 20_261_129, calls: 240, keys: 4, clients: 6 });
  expect(report.faults).toEqual([]);
  expect(report.answered).toBeGreaterThan(100);
  expect(report.spent).toBeGreaterThan(0.9);
});

it.runIf(process.platform === 'linux')('two processes that add to the same totals count each call once', async () => {
  const report = await countAtOnce({ seed: 20_261_129, calls: 200, clients: 8, replacements: isFullSize ? 1 : 0 });
  expect(report.faults).toEqual([]);
  expect(report.answered).toBeGreaterThanOrEqual(200);
});
