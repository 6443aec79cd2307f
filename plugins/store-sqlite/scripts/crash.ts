/**
 * Kill a writing process many times and look at what is left:
 *
 *     node --conditions=source plugins/store-sqlite/scripts/crash.ts [kills] [seed]
 */

import { countArgument } from '../../../scripts/count-argument.ts';
import { openScorecard } from '../../../scripts/scorecard/open-scorecard.ts';
import { crashRun } from '../src/test-support/crash/crash-run.ts';

const scorecard = openScorecard('store-crash');

const kills = countArgument(1, 100);
const seed = countArgument(2, Date.now() % 1_000_000);
const start = performance.now();
const report = await crashRun(kills, seed, 2_000);
const seconds = Math.round((performance.now() - start) / 1_000);
console.log(
  `seed ${seed}: ${report.kills} kills in ${seconds} s, ${report.acknowledged} commits acknowledged, ` +
    `${report.lost.length} lost, ${report.torn.length} torn, ${report.damage.length} other damage`,
);
const faults = report.lost.length + report.torn.length + report.damage.length;
scorecard.record([
  {
    what: 'crashes of the store alone, 8 writers: commits lost, half written, or other damage',
    value: faults,
    target: { exactly: 0 },
    note: `${report.kills} kills, ${report.acknowledged} acknowledged commits; seed ${seed}`,
  },
]);
for (const line of [...report.lost, ...report.torn, ...report.damage].slice(0, 50)) console.log(line);
process.exitCode = faults === 0 ? 0 : 1;
