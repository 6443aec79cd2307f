/**
 * How long a start takes and how much memory a server has that nobody asks: from the spawn of the process to the first
 * answer of GET /healthz, and the resident memory three seconds later.
 *
 *     pnpm build && node --conditions=source bench/idle.ts [starts]
 */
import { setTimeout as delay } from 'node:timers/promises';
import { residentBytes, startPatchbay } from './server-child.ts';

const starts = Number(process.argv[2] ?? 7);
const times: number[] = [];
const sizes: number[] = [];
for (let round = 0; round < starts; round += 1) {
  const server = await startPatchbay();
  const asked = performance.now();
  const response = await fetch(`${server.url}/healthz`);
  if (!response.ok) throw new Error(`the server is not alive: ${response.status}`);
  times.push(server.listeningMs + performance.now() - asked);
  await delay(3_000);
  sizes.push(residentBytes(server.pid) / 1_048_576);
  await server.stop();
}
const line = (name: string, values: readonly number[], unit: string): void => {
  const sorted = values.toSorted((one, other) => one - other);
  const [least = 0, median = 0] = [sorted[0], sorted[Math.floor(sorted.length / 2)]];
  console.log(`${name.padEnd(26)} least ${least.toFixed(0)} ${unit}, median ${median.toFixed(0)} ${unit}`);
};
line('spawn to first answer', times, 'ms');
line('resident memory, idle', sizes, 'MiB');
