import { describe, expect, it } from 'vitest';
import { addFits, fadedTo, fitCounts } from './fit-counts.ts';

const HOUR_MS = 3_600_000;

describe('counts of fits', () => {
  it('each outcome is counted', () => {
    const all = (['fitted', 'mended', 'asked-again', 'failed', 'failed'] as const).map((fit) => fitCounts(fit, 0));
    expect(all.reduce(addFits)).toMatchObject({ asked: 5, everAsked: 5, mended: 1, askedAgain: 1, failed: 2 });
  });

  it('counts fade within hours', () => {
    const failed = fitCounts('failed', 0);
    expect(fadedTo(failed, 6 * HOUR_MS).failed).toBeCloseTo(1 / Math.E, 5);
    expect(fadedTo(failed, 6 * HOUR_MS).everAsked).toBe(1);
    expect(addFits(failed, fitCounts('fitted', 6 * HOUR_MS)).asked).toBeCloseTo(1 + 1 / Math.E, 5);
    expect(addFits(fitCounts('fitted', 6 * HOUR_MS), failed).asked).toBeCloseTo(1 + 1 / Math.E, 5);
    expect(fadedTo(failed, -HOUR_MS)).toMatchObject({ at: 0, failed: 1 });
  });
});
