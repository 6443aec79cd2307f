import { describe, expect, it } from 'vitest';
import { addScores, decayedTo, type ScoreCounts, scoreCounts } from './score-counts.ts';

const day = 24 * 3_600_000;

const all = (counts: readonly ScoreCounts[]) => counts.reduce((sum, each) => addScores(sum, each));

describe('counts of scores', () => {
  it('scores lose half of their weight in 14 days, and are still counted as given', () => {
    const counts = decayedTo(all([scoreCounts(1, 0), scoreCounts(0.5, 0)]), 14 * day);
    expect(counts).toEqual({ at: 14 * day, count: 1, sum: 0.75, squares: 0.625, given: 2 });
  });

  it('the order in which processes add their scores does not matter', () => {
    const deltas = [
      scoreCounts(1, 3 * day),
      scoreCounts(0.2, 0),
      all([scoreCounts(0, day), scoreCounts(0.7, 9 * day)]),
    ];
    const [one, other] = [all(deltas), all(deltas.toReversed())];
    for (const field of ['at', 'count', 'sum', 'squares', 'given'] as const)
      expect(one[field]).toBeCloseTo(other[field], 12);
  });

  it('a clock that runs late adds its scores, and removes none', () => {
    expect(addScores(scoreCounts(1, day), scoreCounts(1, day - 1_000)).count).toBeCloseTo(2, 5);
  });

  it('a busy function forgets by scores: 400 new ones leave little of the old', () => {
    const bad = all(Array.from({ length: 10_000 }, () => scoreCounts(0, 0)));
    expect([bad.count, bad.given]).toEqual([400, 10_000]);
    const recovered = all([bad, ...Array.from({ length: 400 }, () => scoreCounts(1, 0))]);
    expect(recovered.sum / recovered.count).toBeCloseTo(1 - 1 / Math.E, 2);
  });

  it('several scores that are withdrawn before they are written are all withdrawn', () => {
    const taken = all([scoreCounts(1, 0, -1), scoreCounts(0, 0, -1), scoreCounts(1, 0, -1)]);
    expect(taken).toMatchObject({ count: -3, sum: -2, given: -3 });
    expect(addScores(all(Array.from({ length: 5 }, () => scoreCounts(1, 0))), taken)).toMatchObject({
      count: 2,
      sum: 3,
    });
  });
});
