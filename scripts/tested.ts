/**
 * Guarantees that are ensured by tests alone: runs these, and counts the ones that fail.
 *
 *     node --conditions=source scripts/tested.ts [part of a path]
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openScorecard } from './scorecard/open-scorecard.ts';
import type { Figure } from './scorecard/scorecard-record.ts';

const scorecard = openScorecard('tested');

/** Where the tests of each are. */
const guarantees: Readonly<Record<string, readonly string[]>> = {
  'a replica that is killed, and one that is suspended for longer than its lease and continues: their executions are interrupted or run again by others':
    ['packages/e2e/src/replicas/dead-replica'],
  'the whole contract suite of the API through a door before two replicas': [
    'packages/e2e/src/replicas/two-replicas.test.ts',
  ],
  'bad input: each case has its code, status and pointer': ['packages/e2e/src/requests/bad-'],
  'executions without a waiting client: SIGKILL with some queued and one running, two servers on one file, cancelling; none is lost':
    ['packages/e2e/src/functions/async-executions'],
  'queues, in memory and on SQLite: delivery, leases, attempts and dead jobs; broken queues are caught': [
    'packages/testing/src/queue',
    'plugins/store-sqlite/src/queue',
  ],
  'foreign tenants: every operation answers a foreign id byte for byte as one that does not exist': [
    'packages/e2e/src/identity/tenants',
  ],
  'clients that leave, and stopping': ['packages/e2e/src/requests/disconnect', 'packages/e2e/src/process/stop'],
  'a full disk: writes are refused, the rest is kept, and writing continues when there is space': [
    'plugins/store-sqlite/src/disk-full',
  ],
};

interface Counts {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numFailedTestSuites: number;
}

const folder = mkdtempSync(join(tmpdir(), 'patchbay-tested-'));

function run(paths: readonly string[]): Counts {
  const file = join(folder, 'result.json');
  const args = ['vitest', 'run', ...paths, '--reporter=json', `--outputFile=${file}`];
  rmSync(file, { force: true });
  spawnSync('npx', ['--no-install', ...args], { cwd: fileURLToPath(new URL('..', import.meta.url)), stdio: 'inherit' });
  return JSON.parse(readFileSync(file, 'utf8')) as Counts;
}

const [, , wanted = ''] = process.argv;
const figures: Figure[] = [];
for (const [what, paths] of Object.entries(guarantees)) {
  if (!paths.some((path) => path.includes(wanted))) continue;
  const { numPassedTests, numFailedTests, numFailedTestSuites } = run(paths);
  const failed = Math.max(numFailedTests, numFailedTestSuites);
  console.log(`${what}: ${numPassedTests} passed, ${failed} failed`);
  figures.push({
    what: `${what}; tests that fail`,
    value: failed,
    target: { exactly: 0 },
    note: `${numPassedTests.toLocaleString('en-US')} pass; \`vitest run ${paths.join(' ')}\``,
  });
}
rmSync(folder, { recursive: true });
scorecard.record(figures);
process.exitCode = figures.every(({ value }) => value === 0) ? 0 : 1;
