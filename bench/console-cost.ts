/**
 * Costs of the console for a server while no browser has it open: the CPU of a request and the idle memory with it, next to
 * those without it. Requests go to two tables of operations over one app, alternately every few milliseconds: two processes of
 * the same program differ by more than the measured effect. Memory is measured with two processes.
 *
 *     pnpm build && npm run build:console && node --conditions=source bench/console-cost.ts [turns] [starts]
 */
import { setTimeout as delay } from 'node:timers/promises';
import apiKeys from '@patchbay/auth-api-key';
import { consoleOperations } from '@patchbay/console';
import { createApp } from '@patchbay/core';
import { createFetchHandler, operations } from '@patchbay/http';
import { interval } from './interval.ts';
import { key, residentBytes, startPatchbay } from './server-child.ts';

const turns = Number(process.argv[2] ?? 400);
const starts = Number(process.argv[3] ?? 5);
const REQUESTS = 100;
const WARM_TURNS = 50;
/** By then, the garbage of the start is collected. */
const IDLE_MS = 12_000;

const silent = () => undefined;
const authenticators = { keys: { use: apiKeys, with: { bootstrapKey: key } } };
const app = await createApp(
  { patchbay: 1, authenticators, limits: { off: true } },
  { logger: { debug: silent, info: silent, warn: silent, error: silent } },
);
const plain = createFetchHandler(app);
const having = createFetchHandler(app, { operations: [...operations, ...consoleOperations], home: 'getConsole' });

/** Microseconds of CPU for a turn of requests. */
async function turn(handle: typeof plain): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  const before = process.cpuUsage();
  for (let count = 0; count < REQUESTS; count += 1) {
    const { status } = await handle(new Request('http://localhost/functions?limit=1', { headers }));
    if (status !== 200) throw new Error(`GET /functions: ${status}`);
  }
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

const cpu: number[] = [];
for (let round = -WARM_TURNS; round < turns; round += 1) {
  const first = await turn(round % 2 === 0 ? plain : having);
  const second = await turn(round % 2 === 0 ? having : plain);
  if (round >= 0) cpu.push(round % 2 === 0 ? second / first : first / second);
}
await app.host.stop(0);
console.log(`CPU of a request: ${interval(cpu)} times`);

async function idleBytes(console: boolean): Promise<number> {
  const server = await startPatchbay(`patchbay: 1\nserver: { console: ${console} }\n`);
  await delay(IDLE_MS);
  const bytes = residentBytes(server.pid);
  await server.stop();
  return bytes;
}

const memory: number[] = [];
for (let start = 0; start < starts; start += 1) {
  const [mounted, without] = await Promise.all([idleBytes(true), idleBytes(false)]);
  memory.push(mounted / without);
}
console.log(`idle memory:      ${interval(memory)} times`);
