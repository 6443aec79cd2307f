/**
 * Kill a server while executions run, start it again, and look for what is left of them:
 *
 *     node --conditions=source packages/e2e/scripts/kill-while-running.ts [executions]
 */

import { countArgument } from '../../../scripts/count-argument.ts';
import { openScorecard } from '../../../scripts/scorecard/open-scorecard.ts';
import { killWhileRunning } from '../src/crash/kill-while-running.ts';

const scorecard = openScorecard('kill-while-running');

const report = await killWhileRunning(countArgument(1, 100));
const { folders, goneMs, running, statuses, survivors } = report;
console.log(
  `${running} executions ran; ${survivors.length} processes outlived the server, the others were gone after ` +
    `${Math.round(goneMs)} ms; after the next start all executions are: ${statuses.join(', ')}; folders for sockets: ${folders}`,
);
scorecard.record([
  {
    what: `server killed while executions run: processes that outlive it`,
    value: survivors.length,
    target: { exactly: 0 },
    note: `${running} ran; all ${statuses.map((status) => `\`${status}\``).join(', ')} at the next start`,
  },
]);
for (const line of survivors) console.log(line.slice(0, 200));
process.exitCode = survivors.length === 0 && statuses.join() === 'interrupted' && folders === 1 ? 0 : 1;
