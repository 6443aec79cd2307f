/**
 * Let the power fail at many moments of a recorded run (needs `strace`) and look at what is left:
 *
 *     node --conditions=source plugins/store-sqlite/scripts/power-loss.ts [points] [seed] [rounds]
 */

import { countArgument } from '../../../scripts/count-argument.ts';
import { openScorecard } from '../../../scripts/scorecard/open-scorecard.ts';
import { powerLossRun, recordRun } from '../src/test-support/power-loss/power-loss-run.ts';

const scorecard = openScorecard('power-loss');

const points = countArgument(1, 400);
const seed = countArgument(2, Date.now() % 1_000_000);
const rounds = countArgument(3, 40);
const report = await powerLossRun(await recordRun(rounds), points, seed);
console.log(
  `seed ${seed}: the power failed at ${report.points} moments of ${report.acknowledged} acknowledged commits, ` +
    `${report.lost.length} lost, ${report.torn.length} torn, ${report.damage.length} other damage`,
);
const faults = report.lost.length + report.torn.length + report.damage.length;
scorecard.record([
  {
    what: 'power loss: every write and flush of 8 writers is recorded; at random moments a disk is made of what was flushed, on every second one with some sectors of what was not; commits lost, half written, executions that would run again, or other damage',
    value: faults,
    target: { exactly: 0 },
    note: `${report.points} moments of ${report.acknowledged} acknowledged commits; seed ${seed}; needs \`strace\``,
  },
]);
for (const line of [...report.lost, ...report.torn, ...report.damage].slice(0, 50)) console.log(line);
process.exitCode = faults === 0 ? 0 : 1;
