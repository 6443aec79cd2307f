/**
 * The router that learns, and others to compare it with, over simulated models.
 *
 *     node --conditions=source bench/routing/main.ts [--scenario all] [--seeds 20] [--size 1] [--policies learned,weighted]
 */
import { parseArgs } from 'node:util';
import { interval, measure, type PolicyName, policyNames } from './compare.ts';
import { scenarios } from './scenarios.ts';
import type { Measures } from './simulate.ts';

const { values } = parseArgs({
  options: {
    scenario: { type: 'string', default: 'all' },
    seeds: { type: 'string', default: '20' },
    size: { type: 'string', default: '1' },
    models: { type: 'string', default: '8' },
    functions: { type: 'string', default: '5' },
    policies: { type: 'string', default: policyNames.join(',') },
  },
});

const scenario = scenarios.find(({ name }) => name === values.scenario);
if (!scenario) throw new Error(`scenarios: ${scenarios.map(({ name }) => name).join('; ')}`);
const size = { models: Number(values.models), functions: Number(values.functions), calls: Number(values.size) };
const seeds = Array.from({ length: Number(values.seeds) }, (_, index) => index + 1);
const columns = [
  'quality',
  'usdPer1000',
  'regret',
  'belowChampion',
  'wrongChampion',
  'failedFirst',
  'callsIntoOutage',
  'secondsToReturn',
] as const;

const results = new Map<string, readonly Measures[]>();
for (const name of values.policies.split(',') as PolicyName[]) {
  const runs: Measures[] = [];
  for (const seed of seeds) runs.push(await measure(name, scenario, seed, size));
  results.set(name, runs);
  const cells = columns.map((column) => {
    const { mean, high } = interval(runs.map((run) => run[column]));
    return `${column} ${mean.toFixed(4)} ± ${(high - mean).toFixed(4)}`;
  });
  console.log(`${scenario.name} | ${name} | ${cells.join(' | ')}`);
}

const learned = results.get('learned');
for (const [name, runs] of results) {
  if (!learned || name === 'learned') continue;
  const paired = (of: (one: Measures, other: Measures) => number) => {
    const { mean, low, high } = interval(learned.map((each, index) => of(each, runs[index] as Measures)));
    return `${mean.toFixed(4)} (${low.toFixed(4)} to ${high.toFixed(4)})`;
  };
  console.log(
    `learned to ${name}: quality ${paired((one, other) => one.quality / other.quality)}, cost ${paired((one, other) => one.usdPer1000 / other.usdPer1000)}, ` +
      `utility more by ${paired((one, other) => other.regret - one.regret)}`,
  );
}
