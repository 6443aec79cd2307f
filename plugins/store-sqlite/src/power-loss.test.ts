import { beforeAll, describe, expect, it } from 'vitest';
import { powerLossRun, recordRun } from './test-support/power-loss/power-loss-run.ts';
import { canRecord } from './test-support/power-loss/record-writer.ts';

// Each moment is a restart on what is left of a disk.
const moments = process.env['PATCHBAY_TEST_SIZE'] === 'full' ? 60 : 24;

// Skipped, and counted as skipped, where `strace` is not installed.
describe.skipIf(!canRecord())('a loss of power', () => {
  let recorded: Awaited<ReturnType<typeof recordRun>>;
  beforeAll(async () => {
    recorded = await recordRun(12);
  });

  it('loses nothing that was acknowledged and leaves no half commit', { timeout: 120_000 }, async () => {
    const { acknowledged, ...found } = await powerLossRun(recorded, moments, 20_260_101);
    expect(found).toEqual({ points: expect.any(Number), lost: [], torn: [], damage: [] });
    expect(found.points).toBeGreaterThan(0.8 * moments);
    expect(acknowledged).toBe(2 * 8 * 12);
  });

  it('loses rows on a disk that does not sync its log', { timeout: 120_000 }, async () => {
    const { lost } = await powerLossRun(recorded, 10, 20_260_101, true);
    expect(lost.length).toBeGreaterThan(0);
  });
});
