/**
 * Change the config of running processes by SIGHUP, again and again, while clients chat, stream, embed, execute, queue and
 * list, and look for requests that fail and for what is left behind:
 *
 *     node --conditions=source packages/e2e/scripts/reload-faults.ts [reloads] [seed] [sqlite|postgres]
 *
 * The reloads are made twice, so that what is held on to can be compared. Without a storage, on one after the other.
 */
import { countArgument } from '../../../scripts/count-argument.ts';
import { openScorecard } from '../../../scripts/scorecard/open-scorecard.ts';
import type { Figure } from '../../../scripts/scorecard/scorecard-record.ts';
import { reloadFaults } from '../src/reload/faults/reload-faults.ts';

const scorecard = openScorecard('reload-faults');
const figures: Figure[] = [];
const names = {
  sqlite: 'a server and a worker get another config by SIGHUP, again and again, under load: requests failed',
  postgres: 'the same with two servers and a worker on PostgreSQL: requests failed',
} as const;

const reloads = countArgument(1, 26);
const seed = countArgument(2, Date.now() % 1_000_000);
const only = process.argv[4];
for (const storage of ['sqlite', 'postgres'] as const) {
  if (only !== undefined && only !== storage) continue;
  const start = performance.now();
  const say = (line: string) => console.log(`${((performance.now() - start) / 1_000).toFixed(1)} s  ${line}`);
  const report = await reloadFaults({ reloads, seed, storage, clients: 2, say });
  const done = Object.entries(report.done).map(([kind, count]) => `${count} ${kind}`);
  say(`seed ${seed}, ${storage}: ${report.hangups} reloads; ${done.join(', ')}; ${report.faults.length} faults`);
  for (const [name, [before, after]] of Object.entries(report.resources)) {
    say(`${name} before ${JSON.stringify(before)}`);
    say(`${name} after  ${JSON.stringify(after)}`);
  }
  for (const line of report.faults.slice(0, 50)) console.log(line);
  if (report.faults.length > 0) process.exitCode = 1;
  const requests = Object.values(report.done).reduce((sum, count) => sum + count, 0);
  const kept = Object.values(report.resources).map(([before, after]) => {
    return `${before.files} and ${after.files} files, ${before.heapMb} and ${after.heapMb} MB of heap`;
  });
  figures.push({
    what: names[storage],
    value: report.faults.length,
    target: { exactly: 0 },
    note: `${report.hangups} reloads, ${requests} requests, seed ${seed}; after half of them and at the end: ${kept.join('; ')}`,
  });
}
scorecard.record(figures);
