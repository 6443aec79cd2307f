/**
 * Let the power fail at many moments of a recorded run (needs `strace`) and look at what is left:
 *
 *     node --conditions=source plugins/store-sqlite/scripts/power-loss.ts [points] [seed] [rounds]
 */
import { powerLossRun } from '../src/power-loss/power-loss-run.ts';

const points = Number(process.argv[2] ?? 400);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
const rounds = Number(process.argv[4] ?? 40);
const report = await powerLossRun(points, seed, rounds);
console.log(
  `seed ${seed}: the power failed at ${report.points} moments of ${report.acknowledged} acknowledged commits, ` +
    `${report.lost.length} lost, ${report.torn.length} torn, ${report.damage.length} other damage`,
);
for (const line of [...report.lost, ...report.torn, ...report.damage].slice(0, 50)) console.log(line);
process.exitCode = report.lost.length + report.torn.length + report.damage.length === 0 ? 0 : 1;
