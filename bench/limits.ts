/**
 * The cost of limiting and counting a request: credentials, scope and buckets; a model call's reservation and its
 * entry in the ledger; and how exact and fast the limiter is with 2,000 concurrent requests. In one process, without a socket.
 *
 *     node --conditions=source bench/limits.ts [rounds]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import apiKeys from '@patchbay/auth-api-key';
import { authorize, createApp, createMemoryRateLimiter, createRequestContext } from '@patchbay/core';
import { definePlugin } from '@patchbay/core/plugin';
import { createMemoryStorage } from '@patchbay/core/storage';
import { canStartPostgres, startPostgres } from '@patchbay/postgres-for-tests';
import sqlite from '@patchbay/store-sqlite';
import { createUsageWriter } from '../packages/core/src/usage/usage-hours.ts';
import { createUsageLedger, createUsageMeter } from '../packages/core/src/usage/usage-ledger.ts';
import { createPostgresRateLimiter } from '../plugins/limiter-postgres/src/postgres-rate-limiter.ts';
import { createSqliteRateLimiter } from '../plugins/limiter-sqlite/src/sqlite-rate-limiter.ts';
import { openScorecard } from '../scripts/scorecard/open-scorecard.ts';
import type { Figure, Target } from '../scripts/scorecard/scorecard-record.ts';

const scorecard = openScorecard('limits');

const rounds = Number(process.argv[2] ?? 5);
let key = '';

/** CPU microseconds of one call: the best of some rounds, because other work runs alongside. */
async function measure(count: number, call: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage();
    for (let index = 0; index < count; index += 1) await call();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / count);
  }
  return best;
}

const usage = {
  uncachedInputTokens: 10,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 20,
  reasoningTokens: 0,
};
const provider = definePlugin({
  name: 'bench-provider',
  kind: 'provider',
  version: 1,
  config: { properties: {} },
  create: () => ({
    models: async () => [{ name: 'm', capabilities: ['chat'], maxTokens: 100, pricing: { input: 1, output: 2 } }],
    chat: async () => ({ content: 'yes', toolCalls: [], finishReason: 'stop', usage }),
  }),
});

const folder = await mkdtemp(join(tmpdir(), 'patchbay-bench-'));
const plenty = { requests: 1_000_000_000, seconds: 1, burst: 1_000_000_000 };
const rates = { all: plenty, execute: plenty, model: plenty };
const start = (limited: boolean) =>
  createApp(
    {
      patchbay: 1,
      storage: { use: sqlite, with: { file: limited ? 'limited.db' : 'free.db' } },
      authenticators: { keys: { use: apiKeys, with: {} } },
      providers: { bench: { use: provider } },
      secret: 'a root secret that is long enough.',
      limits: limited
        ? {
            key: { ...rates, tokensPerMinute: 1_000_000_000, budget: { usd: 1_000_000, period: 'month' } },
            tenant: rates,
          }
        : { off: true },
    },
    { directory: folder, announce: ({ value }) => (key ||= value) },
  );
const app = await start(true);
const free = await start(false);
const caller = await app.services.authenticate({ token: key });

const figures: Figure[] = [];
/** A recorded figure has a name that is clear without the lines around it. */
const print = (what: string, value: number, recorded?: string, target?: Target) => {
  console.log(`${what.padEnd(62)} ${value.toFixed(2)} µs`);
  if (recorded) figures.push({ what: recorded, value, unit: 'µs of CPU', ...(target && { target }) });
};

print('authenticate (a stored key)', await measure(20_000, () => app.services.authenticate({ token: key })));
print('authorize', await measure(200_000, () => authorize(caller, 'gateway:invoke')));
print('admit: two buckets', await measure(50_000, () => app.services.limits.admit(caller)));
print(
  'admit: four buckets',
  await measure(50_000, () => app.services.limits.admit(caller, 'model')),
  'four buckets alone',
);
print(
  'all three, and a concurrency slot',
  await measure(20_000, async () => {
    const who = await app.services.authenticate({ token: key });
    authorize(who, 'gateway:invoke');
    await app.services.limits.admit(who, 'model');
    app.services.limits.enter(who, 'model').leave();
  }),
  'credentials, scope, four buckets and a concurrency slot',
  { most: 40 },
);

const ledger = createUsageLedger({
  writer: createUsageWriter(createMemoryStorage(), app.host.clock),
  logger: app.host.logger,
  delayMs: 2 ** 30,
});
const meter = createUsageMeter(ledger, app.host.clock);
const context = createRequestContext({ app, caller, requestId: 'request_1' });
const call = { kind: 'model', functionId: '', model: 'bench/m', outcome: 'completed' } as const;
print(
  'record a call in the ledger',
  await measure(20_000, () => meter.record(context, { ...call, usage, costNanoUsd: 50_000, durationMs: 12 })),
  'a call written into the ledger, within the request',
  { most: 10 },
);
context.close();

const generate = async (on: typeof app) => {
  const context = createRequestContext({ app: on, caller, requestId: 'request_1' });
  await on.services.gateway.generate({ prompt: 'hello', model: 'bench/m' }, context);
  context.close();
};
const range = { from: '2000-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' };
const flush = async (on: typeof app) => {
  const context = createRequestContext({ app: on, caller, requestId: 'request_1' });
  const report = await on.services.usage.report(range, context);
  context.close();
  return report.total.modelCalls;
};
const batch = 2_000;
for (const [name, on] of [
  ['with limits, tokens and budget', app],
  ['limits off', free],
] as const) {
  const request = await measure(batch, () => generate(on));
  const before = process.cpuUsage();
  const calls = await flush(on);
  const { user, system } = process.cpuUsage(before);
  print(`a model call through the gateway, ${name}`, request);
  console.log(
    `  calls in the ledger: ${calls}; CPU to flush what was left: ${((user + system) / 1_000).toFixed(0)} ms`,
  );
}

const policy = { name: 'many', requests: 1, seconds: 3_600, burst: 500 };
const inMemory = createMemoryRateLimiter({ monotonic: () => performance.now() });
const inFile = createSqliteRateLimiter({ file: join(folder, 'limits.db'), busyTimeoutMs: 50, clock: app.host.clock });
await inFile.start?.(new AbortController().signal);
const postgres = canStartPostgres() ? await startPostgres() : undefined;
const inPostgres = createPostgresRateLimiter({
  url: postgres?.url ?? 'postgresql://none',
  poolSize: 4,
  timeoutMs: 20_000,
  logger: app.host.logger,
});
if (postgres === undefined) console.log('in PostgreSQL: not measured, there is none from npm for this machine');
else await inPostgres.start?.(new AbortController().signal);
for (const [where, limiter] of [
  ['in memory', inMemory],
  ['in a SQLite file', inFile],
  ...(postgres === undefined ? [] : [['in PostgreSQL', inPostgres] as const]),
] as const) {
  const two = ['key', 'tenant'].map((key) => ({ key, cost: 1, policy: { name: 'plenty', ...plenty } }));
  const recorded = where === 'in memory' ? undefined : `two buckets, ${where}`;
  print(`consume: two buckets, ${where}`, await measure(10_000, () => limiter.consume(two)), recorded);
  const at = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 2_000 }, () => limiter.consume([{ key: 'a', cost: 1, policy }])),
  );
  const took = performance.now() - at;
  console.log(
    `2,000 at once for 500 units, ${where}: ${answers.filter(([one]) => one?.allowed).length} in ${took.toFixed(1)} ms`,
  );
  figures.push({
    what: `2,000 at once for 500 units, ${where}`,
    value: answers.filter(([one]) => one?.allowed).length,
    unit: 'allowed',
    target: { exactly: 500 },
    note: `${took.toFixed(1)} ms`,
  });
}

scorecard.record(figures);
await inFile.stop?.();
await inPostgres.stop?.();
await postgres?.stop();

await ledger.stop();
await app.host.stop(0);
await free.host.stop(0);
await rm(folder, { recursive: true, force: true });
