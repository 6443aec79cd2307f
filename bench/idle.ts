/**
 * How long a start takes and how much memory an idle server uses: from the spawn of the process to the first
 * answer of GET /healthz, and the resident memory twelve seconds later, when the garbage of the start is collected.
 *
 *     pnpm build && node --conditions=source bench/idle.ts [starts]
 */
import { setTimeout as delay } from 'node:timers/promises';
import { openScorecard } from '../scripts/scorecard/open-scorecard.ts';
import { residentBytes, startPatchbay } from './server-child.ts';

const scorecard = openScorecard('idle');

const starts = Number(process.argv[2] ?? 7);
const times: number[] = [];
const sizes: number[] = [];
for (let round = 0; round < starts; round += 1) {
  const server = await startPatchbay();
  const asked = performance.now();
  const response = await fetch(`${server.url}/healthz`);
  if (!response.ok) throw new Error(`the server is not alive: ${response.status}`);
  times.push(server.listeningMs + performance.now() - asked);
  await delay(12_000);
  sizes.push(residentBytes(server.pid) / 1_048_576);
  await server.stop();
}
const line = (name: string, values: readonly number[], unit: string) => {
  const sorted = values.toSorted((one, other) => one - other);
  const [least = 0, median = 0] = [sorted[0], sorted[Math.floor(sorted.length / 2)]];
  console.log(`${name.padEnd(42)} least ${least.toFixed(0)} ${unit}, median ${median.toFixed(0)} ${unit}`);
  return { what: `${name}, least`, value: Math.round(least), unit, note: `median ${median.toFixed(0)} ${unit}` };
};
scorecard.record([
  { ...line('spawn to first answer of `GET /healthz`', times, 'ms'), target: { most: 1_000 } },
  { ...line('resident memory, idle', sizes, 'MiB'), target: { most: 100 } },
]);
