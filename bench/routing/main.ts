/**
 * The router that learns, and others to compare it with, over simulated models or recorded responses.
 *
 *     node --conditions=source bench/routing/main.ts [--scenario all] [--seeds 20] [--size 1] [--policies learned,weighted]
 *     node --conditions=source bench/routing/main.ts --scenario biased --against all --policies learned
 *
 * The same over recorded responses, of a checkout in the folder of the data:
 *
 *     node --conditions=source bench/routing/main.ts --matrix LLMRouter --data <folder>
 */
import { parseArgs } from 'node:util';
import { interval, measure, type PolicyName, policyNames, recorded, simulated, usualCostWeight } from './compare.ts';
import { readMatrix } from './matrices/read-matrix.ts';
import { type Scenario, scenarios } from './scenarios.ts';
import type { Measures } from './simulate.ts';

const { values } = parseArgs({
  options: {
    scenario: { type: 'string', default: 'all' },
    seeds: { type: 'string', default: '20' },
    size: { type: 'string', default: '1' },
    models: { type: 'string', default: '8' },
    functions: { type: 'string', default: '5' },
    /** Recorded responses in place of simulated models, and the checkout that has them. */
    matrix: { type: 'string' },
    data: { type: 'string', default: '.' },
    cost: { type: 'string', default: String(usualCostWeight) },
    /** Another scenario: how much worse each policy does than there, in the same worlds. */
    against: { type: 'string' },
    policies: { type: 'string', default: policyNames.join(',') },
  },
});

function find(wanted: string): Scenario {
  const found = scenarios.find(({ name }) => name === wanted);
  if (!found) throw new Error(`scenarios: ${scenarios.map(({ name }) => name).join('; ')}`);
  return found;
}

const scenario = find(values.scenario);
const size = { models: Number(values.models), functions: Number(values.functions) };
const [calls, costWeight] = [Number(values.size), Number(values.cost)];
const setting =
  values.matrix === undefined
    ? simulated(size, calls, costWeight)
    : recorded(readMatrix(values.matrix, values.data), calls, costWeight);
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
  for (const seed of seeds) runs.push(await measure(name, scenario, seed, setting));
  results.set(name, runs);
  const cells = columns.map((column) => {
    const each = runs.map((run) => run[column]);
    const { mean, high } = interval(each);
    return `${column} ${mean.toFixed(4)} ± ${(high - mean).toFixed(4)}, at most ${Math.max(...each).toFixed(4)}`;
  });
  console.log(`${scenario.name} | ${name} | ${cells.join(' | ')}`);
}

if (values.against !== undefined) {
  const other = find(values.against);
  for (const [name, runs] of results) {
    const lost: { quality: number; utility: number }[] = [];
    for (const [index, seed] of seeds.entries()) {
      const there = await measure(name as PolicyName, other, seed, setting);
      const here = runs[index] as Measures;
      lost.push({ quality: there.quality - here.quality, utility: here.regret - there.regret });
    }
    for (const kind of ['quality', 'utility'] as const) {
      const { mean, low, high } = interval(lost.map((each) => each[kind]));
      const figures = `${mean.toFixed(4)} (${low.toFixed(4)} to ${high.toFixed(4)})`;
      console.log(`${scenario.name} | ${name} | ${kind} lost against ${other.name}: ${figures}`);
    }
  }
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
