/**
 * Executions at a steady rate for a long time: what they leave behind, how long the slowest take, and what
 * memory does meanwhile.
 *
 *     node --conditions=source bench/executor/soak.ts [minutes] [per second] [isolation]
 */
import { type Sample, soak } from '../../plugins/executor-deno/src/fixtures/soak.ts';
import { openScorecard } from '../../scripts/scorecard/open-scorecard.ts';

const scorecard = openScorecard('executor-soak');

const minutes = Number(process.argv[2] ?? 10);
const perSecond = Number(process.argv[3] ?? 50);
const isolation = process.argv[4] === 'reuse' ? 'reuse' : 'fresh';

const line = ({ executions, places, processes, residentBytes, seconds, zombies }: Sample): string =>
  `${seconds.toFixed(0).padStart(5)} s  ${executions} executions  ${(residentBytes / 1_048_576).toFixed(0)} MB  ` +
  `${processes} processes  ${zombies} zombies  ${places} files and folders`;

const report = await soak({
  seconds: minutes * 60,
  perSecond,
  sampleMs: 10_000,
  options: { isolation },
  onSample: (sample) => console.log(line(sample)),
});
const { executions, fifths, left, refused, samples, wrong } = report;
// Memory that the first fifth builds up (caches, compiled code) is not a leak.
const settled = samples[Math.floor(samples.length / 5)];
const last = samples.at(-1);
const growth = (last?.residentBytes ?? 0) / (settled?.residentBytes ?? 1);
// The first fifth starts the first processes and compiles the code.
const [, ...settledFifths] = fifths.map((took) => took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? 0);
const spread = Math.max(...settledFifths) / Math.min(...settledFifths);
console.log(`p99 of each fifth after the first: ${settledFifths.map((ms) => ms.toFixed(1)).join(', ')} ms`);
console.log(`${executions} executions, ${refused} refused as overloaded, ${wrong} ended otherwise than they should`);
console.log(`memory at the end: ${growth.toFixed(2)} times that after the first fifth`);
console.log(
  `left after the stop: ${left.processes} processes, ${left.zombies} zombies, ${left.places} files and folders`,
);
scorecard.record([
  {
    what: 'executions, of 50 per second for ten minutes',
    value: executions,
    target: { least: 30_000 },
    note: `${perSecond} per second for ${minutes} min; ${refused} refused, ${wrong} with an unexpected outcome`,
  },
  {
    what: 'memory at the end, over that after the first fifth',
    value: growth,
    unit: 'times',
    target: { most: 1.3 },
  },
  {
    what: 'p99: largest over smallest of the four fifths after the first',
    value: spread,
    unit: 'times',
    target: { most: 1.3 },
    note: settledFifths.map((ms) => `${ms.toFixed(1)} ms`).join(', '),
  },
  { what: 'zombies, files and folders left', value: left.zombies + left.places, target: { exactly: 0 } },
]);
process.exitCode = wrong === 0 && left.zombies === 0 && left.places === 0 && growth < 1.3 ? 0 : 1;
