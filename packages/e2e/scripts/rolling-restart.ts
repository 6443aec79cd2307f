/**
 * Restart replicas one after the other while clients read, execute and stream, and look for requests that fail:
 *
 *     node --conditions=source packages/e2e/scripts/rolling-restart.ts [rounds] [replicas]
 *
 * Once behind a balancer that is notified before a replica stops, and once behind one that polls `/readyz` every second.
 */

import { countArgument } from '../../../scripts/count-argument.ts';
import { openScorecard } from '../../../scripts/scorecard/open-scorecard.ts';
import type { Figure } from '../../../scripts/scorecard/scorecard-record.ts';
import { rollingRestart } from '../src/replicas/rolling-restart.ts';

const scorecard = openScorecard('rolling-restart');
const figures: Figure[] = [];
const names = {
  told: 'two replicas restarted one after the other behind a balancer that is notified first: requests failed',
  late: 'the same behind a balancer that polls `/readyz` every second: requests failed',
} as const;

const rounds = countArgument(1, 5);
const replicas = countArgument(2, 2);
for (const door of ['told', 'late'] as const) {
  const start = performance.now();
  const report = await rollingRestart({ door, rounds, replicas, clients: 2, say: (line) => console.log(line) });
  const done = Object.entries(report.done).map(([kind, count]) => `${count} ${kind}`);
  const seconds = Math.round((performance.now() - start) / 1_000);
  console.log(
    `door ${door}: ${report.restarts} restarts in ${seconds} s; ${done.join(', ')}; ${report.faults.length} failed`,
  );
  for (const line of report.faults.slice(0, 20)) console.log(line);
  if (report.faults.length > 0) process.exitCode = 1;
  figures.push({
    what: names[door],
    value: report.faults.length,
    target: { exactly: 0 },
    note: `${report.restarts} restarts; ${done.join(', ')}`,
  });
}
scorecard.record(figures);
