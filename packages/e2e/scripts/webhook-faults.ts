/**
 * Kill a server again and again while it sends webhooks to receivers that fail in every way, and look for what is lost:
 *
 *     node --conditions=source packages/e2e/scripts/webhook-faults.ts --seed 1 --events 20000 --kills 20 --folder /dev/shm
 */
import { parseArgs } from 'node:util';
import { openScorecard } from '../../../scripts/scorecard/open-scorecard.ts';
import { webhookFaults } from '../src/webhooks/webhook-faults.ts';

const scorecard = openScorecard('webhook-faults');

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    events: { type: 'string', default: '20000' },
    kills: { type: 'string', default: '20' },
    folder: { type: 'string' },
    'timeout-ms': { type: 'string', default: '3000' },
  },
});
const [seed, events, kills] = [Number(values.seed), Number(values.events), Number(values.kills)];
const start = performance.now();
const say = (line: string) => console.log(`${((performance.now() - start) / 1_000).toFixed(1)} s  ${line}`);
const timeoutMs = Number(values['timeout-ms']);
const folder = values.folder === undefined ? {} : { folder: values.folder };
const report = await webhookFaults({ seed, events, kills, timeoutMs, say, ...folder });
say(`seed ${seed}: ${report.acknowledged} events acknowledged, ${report.kills} kills, ${report.faults.length} faults`);
for (const { name, taken, duplicates, attempts } of report.receivers) {
  const done = Object.entries(attempts).map(([what, count]) => `${what} ${count}`);
  console.log(`${name.padEnd(12)} ${taken} taken, ${duplicates} of them again; attempts: ${done.join(', ')}`);
}
scorecard.record([
  {
    what: 'webhooks to receivers that hang, reset, end connections, answer 500, 302, 429, 100 MB, gzip bombs, floods of headers, garbage or half of an answer, or have a wrong certificate; SIGKILL of the server; events lost, with another id or not signed',
    value: report.faults.length,
    target: { exactly: 0 },
    note: `${report.kills} kills, ${report.acknowledged} events acknowledged, ${report.receivers.length} receivers; seed ${seed}`,
  },
]);
for (const line of report.faults.slice(0, 50)) console.log(line);
process.exitCode = report.faults.length === 0 ? 0 : 1;
