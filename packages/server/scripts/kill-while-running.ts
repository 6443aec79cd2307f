/**
 * Kill a server while executions run, start it again, and look for what is left of them:
 *
 *     node --conditions=source packages/server/scripts/kill-while-running.ts [executions]
 */
import { killWhileRunning } from '../src/e2e/crash/kill-while-running.ts';

const report = await killWhileRunning(Number(process.argv[2] ?? 100));
const { folders, goneMs, running, statuses, survivors } = report;
console.log(
  `${running} executions ran; ${survivors.length} processes outlived the server, the others were gone after ` +
    `${Math.round(goneMs)} ms; after the next start all executions are: ${statuses.join(', ')}; folders for sockets: ${folders}`,
);
for (const line of survivors) console.log(line.slice(0, 200));
process.exitCode = survivors.length === 0 && statuses.join() === 'interrupted' && folders === 1 ? 0 : 1;
