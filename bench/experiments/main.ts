/**
 * How often experiments choose a variant that is worse by more than epsilon, and how many scores they take.
 *
 *     node --conditions=source bench/experiments/main.ts [--runs 1000] [--delay 20]
 */
import { parseArgs } from 'node:util';
import { fixedSize, simulateExperiment } from './simulate-experiment.ts';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '1000' }, delay: { type: 'string', default: '20' } },
});
const runs = Number(values.runs);

const cases: readonly (readonly [means: readonly number[], epsilon: number])[] = [
  [[0.5, 0.5], 0.05],
  [[0.8, 0.8], 0.05],
  [[0.5, 0.54], 0.05],
  [[0.5, 0.5501], 0.05],
  [[0.5, 0.58], 0.05],
  [[0.7, 0.78], 0.02],
  [[0.7, 0.85], 0.05],
  [[0.9, 0.9501], 0.05],
  [[0.5, 0.5, 0.5, 0.5501], 0.05],
];

for (const [means, epsilon] of cases) {
  const scenario = { means, rule: { delta: 0.05, epsilon, minPerVariant: 20 }, delay: Number(values.delay) };
  const outcomes = Array.from({ length: runs }, (_, index) => simulateExperiment(scenario, index + 1));
  const wrong = outcomes.filter(({ isWrong }) => isWrong === true).length;
  const unfinished = outcomes.filter(({ isWrong }) => isWrong === undefined).length;
  const scores = outcomes.map((each) => each.scores).sort((one, other) => one - other);
  const at = (share: number) => scores[Math.floor(share * (runs - 1))];
  const fixed = means.length === 2 ? `, fixed size ${fixedSize(means, scenario.rule)}` : '';
  console.log(
    `${means.join(' / ')}, epsilon ${epsilon}: wrong ${wrong} of ${runs}, unfinished ${unfinished}, ` +
      `scores median ${at(0.5)}, p90 ${at(0.9)}${fixed}`,
  );
}
