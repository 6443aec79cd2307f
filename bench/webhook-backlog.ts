/**
 * How fast a backlog of events reaches one webhook, and what the API is like meanwhile: the webhook is enabled and disabled
 * alternately, and reads are sent at a steady rate all the time.
 *
 *     pnpm build && node --conditions=source bench/webhook-backlog.ts [events] [seconds of a turn] [worker|memory]
 *
 * With `worker`, the server leaves deliveries to a separate process; with `memory`, the files of its database are in memory (Linux).
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger, TenantId } from '@patchbay/core/plugin';
import type { WebhookEventRow } from '@patchbay/core/storage';
import sqlite from '@patchbay/store-sqlite';
import { openScorecard } from '../scripts/scorecard/open-scorecard.ts';
import { ask, cpuSeconds, key, startPatchbay, startWebhookReceiver, startWorker } from './server-child.ts';

const [variant] = ['worker', 'memory'].filter((each) => process.argv.includes(each));
const scorecard = openScorecard(variant === undefined ? 'webhook-backlog' : `webhook-backlog-${variant}`);

const events = Number(process.argv[2] ?? 50_000);
const turnSeconds = Number(process.argv[3] ?? 5);
const hasWorker = variant === 'worker';
const isInMemory = variant === 'memory';
const title = `, database ${isInMemory ? 'in memory' : 'on disk'}${hasWorker ? ', sent by a worker' : ''}`;
const READS_PER_SECOND = 100;
const BATCH = 500;

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Events that happened before the server started: creating them over the API would take longer than all the rest. */
async function writeEvents(directory: string): Promise<void> {
  const config = { file: 'patchbay.db', driver: 'better-sqlite3' as const, busyTimeoutMs: 5_000, cacheMegabytes: 16 };
  const storage = sqlite.definition.create({ config, deps: {}, logger: silent, mount: 'storage', directory });
  await storage.start?.(new AbortController().signal);
  await storage.migrate();
  const start = Date.now() - 86_400_000;
  for (let number = 0; number < events; number += BATCH) {
    const writes = Array.from({ length: Math.min(BATCH, events - number) }, (_, index) => {
      const digits = String(number + index).padStart(12, '0');
      const row: WebhookEventRow = {
        id: `event_01990000-0000-7000-8000-${digits}`,
        revision: 1,
        type: 'function.updated',
        createdAt: new Date(start + number + index).toISOString(),
        data: {
          functionId: 'function_01k0d9v0pe4x2h5n6q7r8s9t0v',
          name: 'Summarize Text',
          version: number + index + 1,
        },
        webhookId: null,
      };
      return { insert: 'webhookEvents', row } as const;
    });
    await storage.commit('default' as TenantId, writes);
  }
  await storage.stop?.();
}

const folder = await mkdtemp(join(isInMemory ? '/dev/shm' : tmpdir(), 'patchbay-bench-'));
await writeEvents(folder);
const receiver = await startWebhookReceiver();
const config = `patchbay: 1
server: { consumeJobs: ${!hasWorker} }
storage: { use: "@patchbay/store-sqlite", with: { file: "${join(folder, 'patchbay.db')}" } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
executor: { use: "@patchbay/executor-deno" }
secretFile: "${join(folder, 'secret')}"
limits: { off: true }
webhooks: { allow: ["127.0.0.0/8"] }
`;
const patchbay = await startPatchbay(config);
const worker = hasWorker ? await startWorker(config) : undefined;
const { url } = patchbay;
const { pid } = worker ?? patchbay;
const webhook = { url: `${receiver.url}/ok/1`, events: ['*'] };
const id = String((await ask(url, 'POST', '/webhooks', webhook))['id']);
const count = async () => Number(await (await fetch(`${receiver.url}/count`)).json());
const setEnabled = (enabled: boolean) => ask(url, 'PUT', `/webhooks/${id}`, { ...webhook, enabled });

/** Send reads at a steady rate, whatever happens to those before; returns the milliseconds that each took. */
async function readFor(seconds: number): Promise<number[]> {
  const took: number[] = [];
  const reads: Promise<void>[] = [];
  const start = performance.now();
  for (let number = 0; number < seconds * READS_PER_SECOND; number += 1) {
    const due = start + (number * 1_000) / READS_PER_SECOND;
    await delay(Math.max(due - performance.now(), 0));
    const sent = performance.now();
    const read = fetch(`${url}/webhooks/${id}`, { headers: { authorization: `Bearer ${key}` } })
      .then((response) => response.text())
      .then(() => void took.push(performance.now() - sent));
    reads.push(read);
  }
  await Promise.all(reads);
  return took;
}

const at = (all: readonly number[], share: number): number =>
  [...all].sort((one, other) => one - other)[Math.floor(all.length * share)] ?? 0;

await readFor(2);
await ask(url, 'POST', `/webhooks/${id}/replay`, { since: new Date(Date.now() - 2 * 86_400_000).toISOString() });
const idle: number[] = [];
const draining: number[] = [];
let sent = 0;
let seconds = 0;
let cpu = 0;
let turns = 0;
while ((await count()) < events) {
  await setEnabled(true);
  const before = { sent: await count(), at: performance.now(), cpu: cpuSeconds(pid) };
  const took = await readFor(turnSeconds);
  const after = await count();
  await setEnabled(false);
  // The last turn has nothing to send for a part of its time.
  if (after < events || turns === 0) {
    draining.push(...took);
    sent += after - before.sent;
    seconds += (performance.now() - before.at) / 1_000;
    cpu += cpuSeconds(pid) - before.cpu;
    turns += 1;
    console.log(`turn ${turns}: ${after} of ${events} are there; p99 ${at(took, 0.99).toFixed(1)} ms`);
  }
  await delay(200);
  idle.push(...(await readFor(turnSeconds / 2)));
}
console.log(`drained: ${(sent / seconds).toFixed(0)} per second, ${((cpu / sent) * 1_000).toFixed(2)} ms of CPU each`);
const ratio = (share: number) => (at(draining, share) / at(idle, share)).toFixed(2);
for (const share of [0.5, 0.95, 0.99]) {
  const [alone, beside] = [at(idle, share).toFixed(1), at(draining, share).toFixed(1)];
  console.log(`reads, p${share * 100}: ${alone} ms alone, ${beside} ms while it drains: ${ratio(share)} times`);
}
const beside = (share: number) => at(draining, share) / at(idle, share);
scorecard.record([
  { what: `events of the backlog${title}`, value: events, target: { least: 50_000 } },
  {
    what: `a backlog for one webhook${title}`,
    value: sent / seconds,
    unit: 'per second',
    target: { least: 200 },
  },
  {
    what: `reads beside it${title}: p99 over that alone`,
    value: beside(0.99),
    unit: 'times',
    target: { most: 1.2 },
    note: `p50 ${beside(0.5).toFixed(2)} and p95 ${beside(0.95).toFixed(2)} times; ${at(idle, 0.99).toFixed(1)} ms alone`,
  },
]);
await worker?.stop();
await patchbay.stop();
await receiver.stop();
await rm(folder, { recursive: true, force: true });
