/**
 * Kill a server while 8 clients write, restart it on the same data, and look for what it had acknowledged:
 *
 *     node --conditions=source packages/e2e/scripts/crash.ts [rounds] [writes] [seed]
 *
 * Each round ends at a random one of so many acknowledged writes.
 */

import { countArgument } from '../../../scripts/count-argument.ts';
import { openScorecard } from '../../../scripts/scorecard/open-scorecard.ts';
import { crashRun } from '../src/crash/crash-run.ts';

const scorecard = openScorecard('crash');

const rounds = countArgument(1, 20);
const writes = countArgument(2, 1_000);
const seed = countArgument(3, Date.now() % 1_000_000);
const start = performance.now();
const { acknowledged, interrupted, recoveries, faults } = await crashRun(seed, rounds, writes);
const seconds = Math.round((performance.now() - start) / 1_000);
console.log(
  `seed ${seed}: ${rounds} kills in ${seconds} s, ${acknowledged} writes acknowledged, ${faults.length} faults, ` +
    `${interrupted} executions interrupted, start after a kill: slowest ${Math.round(Math.max(...recoveries))} ms`,
);
scorecard.record([
  {
    what: 'crashes of the server: 8 clients create, replace, delete and execute, SIGKILL at a random acknowledged write, restart on the same data; writes lost, half written or back from the dead, times of schedules missed or run twice',
    value: faults.length,
    target: { exactly: 0 },
    note: `${rounds} kills, ${acknowledged} acknowledged writes; ${interrupted} executions interrupted; seed ${seed}`,
  },
]);
for (const line of faults.slice(0, 50)) console.log(line);
process.exitCode = faults.length === 0 ? 0 : 1;
