import { describe, expect, it } from 'vitest';
import { powerLossRun } from './test-support/power-loss/power-loss-run.ts';
import { canRecord } from './test-support/power-loss/record-writer.ts';

// Skipped, and counted as skipped, where `strace` is not installed.
describe.skipIf(!canRecord())('a loss of power', () => {
  it('loses nothing that was acknowledged and leaves no half commit', { timeout: 120_000 }, async () => {
    const { acknowledged, ...found } = await powerLossRun(60, 20_260_101, 12);
    expect(found).toEqual({ points: expect.any(Number), lost: [], torn: [], damage: [] });
    expect(found.points).toBeGreaterThan(50);
    expect(acknowledged).toBe(2 * 8 * 12);
  });

  it('loses rows on a disk that does not sync its log', { timeout: 120_000 }, async () => {
    const { lost } = await powerLossRun(10, 20_260_101, 12, true);
    expect(lost.length).toBeGreaterThan(0);
  });
});
