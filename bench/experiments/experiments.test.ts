import { describe, expect, it } from 'vitest';
import { fixedSize, simulateExperiment } from './simulate-experiment.ts';

const rule = { delta: 0.05, epsilon: 0.1, minPerVariant: 20 };
const seeds = Array.from({ length: 40 }, (_, index) => index + 1);

describe('simulated experiments', () => {
  it('choose a variant that is worse by more than epsilon at most as often as delta, and all end', () => {
    for (const means of [
      [0.5, 0.6001],
      [0.5, 0.5, 0.6001],
    ]) {
      const outcomes = seeds.map((seed) => simulateExperiment({ means, rule, delay: 20 }, seed));
      expect(outcomes.filter(({ isWrong }) => isWrong === undefined)).toEqual([]);
      expect(outcomes.filter(({ isWrong }) => isWrong).length).toBeLessThanOrEqual(2);
    }
  });

  it('end within a small multiple of the size of a test that was planned with the true means', () => {
    const means = [0.4, 0.7];
    const scores = seeds.map((seed) => simulateExperiment({ means, rule, delay: 20 }, seed).scores);
    const mean = scores.reduce((sum, each) => sum + each, 0) / scores.length;
    expect(fixedSize(means, rule)).toBe(86);
    expect(mean).toBeLessThan(3 * fixedSize(means, rule));
  });
});
