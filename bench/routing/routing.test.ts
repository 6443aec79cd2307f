import { beforeAll, describe, expect, it } from 'vitest';
import { interval, measure, type PolicyName, simulated } from './compare.ts';
import { type Scenario, scenarios } from './scenarios.ts';
import type { Measures } from './simulate.ts';

const seeds = [1, 2, 3];
const small = simulated({ models: 6, functions: 2 }, 0.25);

async function runs(policy: PolicyName, name: string): Promise<readonly Measures[]> {
  const scenario = scenarios.find((each) => each.name === name) as Scenario;
  return await Promise.all(seeds.map((seed) => measure(policy, scenario, seed, small)));
}

const mean = (measures: readonly Measures[], of: 'regret' | 'quality' | 'usdPer1000'): number =>
  interval(measures.map((each) => each[of])).mean;

describe('the router that learns, over simulated models', () => {
  let learned: readonly Measures[];
  let best: readonly Measures[];
  beforeAll(async () => {
    learned = await runs('learned', 'all');
    best = await runs('best single', 'all');
  });

  it('with scores, it is nearer to the best model for each function than the weighted router and the best single model', async () => {
    const regret = mean(learned, 'regret');
    expect(regret).toBeLessThan(0.5 * mean(await runs('weighted', 'all'), 'regret'));
    expect(regret).toBeLessThan(0.5 * mean(best, 'regret'));
  });

  it('has nearly the quality of the best single model for much less', () => {
    expect(mean(learned, 'quality')).toBeGreaterThan(0.95 * mean(best, 'quality'));
    expect(mean(learned, 'usdPer1000')).toBeLessThan(0.75 * mean(best, 'usdPer1000'));
  });

  it('without scores, it does what the weighted router does', async () => {
    expect(await runs('learned', 'none')).toEqual(await runs('weighted', 'none'));
  });

  it('models that are worse than the champion get no more than their share', () => {
    for (const { belowChampion } of learned) expect(belowChampion).toBeLessThan(0.3);
  });

  it('the model that is always valid and always wrong is not the champion, even if unhappy callers score more often', async () => {
    for (const { wrongChampion } of [...learned, ...(await runs('learned', 'biased'))]) expect(wrongChampion).toBe(0);
  });
});
