import { describe, expect, it } from 'vitest';
import { interval, measure, type PolicyName, simulated } from './compare.ts';
import { type Scenario, scenarios } from './scenarios.ts';
import type { Measures } from './simulate.ts';

const seeds = [1, 2, 3, 4];
const small = simulated({ models: 6, functions: 2 }, 0.4);

const scenario = (name: string): Scenario => scenarios.find((each) => each.name === name) as Scenario;

async function runs(policy: PolicyName, name: string): Promise<readonly Measures[]> {
  return await Promise.all(seeds.map((seed) => measure(policy, scenario(name), seed, small)));
}

const mean = (measures: readonly Measures[], of: keyof Measures): number =>
  interval(measures.map((each) => each[of])).mean;

describe('the router that learns, over simulated models', () => {
  it('with scores, it is nearer to the best model for each function than the weighted router and the best single model', async () => {
    const regret = mean(await runs('learned', 'all'), 'regret');
    expect(regret).toBeLessThan(0.5 * mean(await runs('weighted', 'all'), 'regret'));
    expect(regret).toBeLessThan(0.5 * mean(await runs('best single', 'all'), 'regret'));
  });

  it('without scores, it does what the weighted router does', async () => {
    expect(await runs('learned', 'none')).toEqual(await runs('weighted', 'none'));
  });

  it('models that are worse than the champion get no more than their share', async () => {
    for (const { belowChampion } of await runs('learned', 'all')) expect(belowChampion).toBeLessThan(0.3);
  });

  it('the model that is always valid and always wrong is not the champion', async () => {
    for (const name of ['all', 'biased']) {
      for (const { wrongChampion } of await runs('learned', name)) expect(wrongChampion).toBe(0);
    }
  });
});
