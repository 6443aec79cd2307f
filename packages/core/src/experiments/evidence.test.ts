import { describe, expect, it } from 'vitest';
import { evidenceFor } from './evidence.ts';

describe('the evidence for a variant', () => {
  it('grows with the difference between the means and with the number of scores', () => {
    const evidence = (count: number, better: number, worse: number): number =>
      evidenceFor({ count, sum: count * better }, { count, sum: count * worse }, 0.05);
    expect(evidence(200, 0.8, 0.6)).toBeGreaterThan(evidence(200, 0.7, 0.6));
    expect(evidence(400, 0.8, 0.6)).toBeGreaterThan(evidence(200, 0.8, 0.6));
    expect(evidence(200, 0.6, 0.8)).toBeLessThan(0);
  });

  it('is clear if every score of a variant is the same, and 0 without scores', () => {
    const all = { count: 500, sum: 500 };
    expect(evidenceFor(all, { count: 500, sum: 0 }, 0.01)).toBeGreaterThan(500);
    // As good as the leader: without any failure, a difference of 0.05 is implausible.
    expect(evidenceFor(all, all, 0.05)).toBeGreaterThan(10);
    expect(evidenceFor({ count: 0, sum: 0 }, { count: 0, sum: 0 }, 0.05)).toBe(0);
  });

  it('equals the product of two mixtures at the worst mean', () => {
    // One yes each, no other score: Beta(3/2, 1/2) to Beta(1/2, 1/2) is 1/2, and the likelihoods are the means.
    const winnings = (mean: number): number => 0.5 / mean + 0;
    const epsilon = 0.5;
    const atWorst = Math.log(winnings(0.5) * winnings(0.5 + epsilon));
    const one = { count: 1, sum: 1 };
    expect(evidenceFor(one, one, epsilon)).toBeCloseTo(atWorst, 6);
  });
});
