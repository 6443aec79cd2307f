/**
 * Kill replicas, workers and their PostgreSQL at random moments while clients write, and look for what is lost, half
 * written, stuck, or run twice:
 *
 *     node --conditions=source packages/e2e/scripts/replica-faults.ts [rounds] [seed]
 *
 * Each round kills one of each kind.
 */

import { countArgument } from '../../../scripts/count-argument.ts';
import { openScorecard } from '../../../scripts/scorecard/open-scorecard.ts';
import { replicaFaults } from '../src/replicas/faults/replica-faults.ts';

const scorecard = openScorecard('replica-faults');

const rounds = countArgument(1, 20);
const seed = countArgument(2, Date.now() % 1_000_000);
const start = performance.now();
const say = (line: string) => console.log(`${((performance.now() - start) / 1_000).toFixed(1)} s  ${line}`);
const report = await replicaFaults({ seed, rounds, clients: 6, workers: 2, say });
const ends = Object.entries(report.executions).map(([status, count]) => `${count} ${status}`);
say(
  `seed ${seed}: ${rounds} kills each of a replica, a worker and PostgreSQL; ${report.acknowledged} acknowledged, ` +
    `${report.retries} requests sent again, ${report.foundDone} of them found done, ${report.answersLost} answers lost; ` +
    `executions: ${ends.join(', ')}, none without an end for more than ${report.longestOpen.toFixed(1)} s; ` +
    `${report.eventsTaken} events taken; ${report.faults.length} faults`,
);
scorecard.record([
  {
    what: '6 clients through two replicas, two workers; SIGKILL of a replica, a worker and PostgreSQL at random moments, often close together; acknowledged writes lost, half written, keys and times of schedules run twice, times missed, events not told',
    value: report.faults.length,
    target: { exactly: 0 },
    note: `${rounds} kills of each kind, ${report.acknowledged} acknowledged, ${report.retries} requests sent again, ${report.eventsTaken} events told; of ${report.answersLost} requests the answer was lost, and ${report.fetchesFailed} executions could not fetch, as their responses said; seed ${seed}`,
  },
  {
    what: 'the same: longest without an end of an execution',
    value: report.longestOpen,
    unit: 's',
    note: ends.join(', '),
  },
]);
for (const line of report.faults.slice(0, 50)) console.log(line);
process.exitCode = report.faults.length === 0 ? 0 : 1;
