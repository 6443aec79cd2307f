/**
 * Send mutated requests to a server, and look for undocumented responses:
 *
 *     node --conditions=source packages/e2e/scripts/fuzz.ts [requests] [seed]
 */

import { countArgument } from '../../../scripts/count-argument.ts';
import { openScorecard } from '../../../scripts/scorecard/open-scorecard.ts';
import { startServerProcess, temporaryData } from '../src/driver/server-process.ts';
import { runFuzz } from '../src/fuzz/run-fuzz.ts';

const scorecard = openScorecard('fuzz');

const requests = countArgument(1, 20_000);
const seed = countArgument(2, Date.now() % 1_000_000);
const data = await temporaryData();
const server = await startServerProcess(data.path);
const start = performance.now();
const { outcomes, faults } = await runFuzz(server, seed, requests);
const seconds = Math.round((performance.now() - start) / 1_000);
const { code } = await server.end('SIGTERM');
await data.remove();

const errors = server.log.filter(({ level }) => level === 'error');
console.log(`seed ${seed}: ${requests} requests in ${seconds} s, ${faults.length} wrong answers, exit code ${code}`);
for (const [outcome, count] of Object.entries(outcomes).toSorted((one, other) => other[1] - one[1])) {
  console.log(`${String(count).padStart(8)}  ${outcome}`);
}
for (const line of faults.slice(0, 20)) console.log(line);
for (const entry of errors.slice(0, 20)) console.log(JSON.stringify(entry).slice(0, 2_000));
scorecard.record([
  {
    what: 'mutated requests (fields, types, texts, paths, queries, headers, credentials, methods): answers of 5xx, or without a documented code and status',
    value: faults.length + errors.length,
    target: { exactly: 0 },
    note: `${requests} requests, exit code ${code}; seed ${seed}`,
  },
]);
process.exitCode = faults.length === 0 && errors.length === 0 && code === 0 ? 0 : 1;
