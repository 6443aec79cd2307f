/**
 * Change the config of running processes by SIGHUP, again and again, while clients chat, stream, embed, execute, queue and
 * list, and look for requests that fail and for what is left behind:
 *
 *     node --conditions=source packages/server/scripts/reload-faults.ts [reloads] [seed] [sqlite|postgres]
 *
 * The reloads are made twice, so that what is held on to can be compared.
 */
import { reloadFaults } from '../src/e2e-reload/faults/reload-faults.ts';

const reloads = Number(process.argv[2] ?? 25);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
const storage = process.argv[4] === 'postgres' ? 'postgres' : 'sqlite';
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
process.exitCode = report.faults.length === 0 ? 0 : 1;
