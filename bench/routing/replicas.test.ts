import type { Candidate, Router } from '@patchbay/core/plugin';
import { missingPostgres, openPostgres, type TestPostgres } from '@patchbay/postgres-for-tests';
import learnedPlugin from '@patchbay/router-learned';
import storePlugin from '@patchbay/store-postgres';
import { testContext } from '@patchbay/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scoreCounts } from '../../packages/core/src/gateway/model-performance/score-counts.ts';
import {
  createTaskRecords,
  type Task,
  type TaskRecords,
} from '../../packages/core/src/gateway/model-performance/task-records.ts';
import { createChance } from './chance.ts';

// The records of the core on a real database, written every hundred calls as if five seconds had passed. The gain of learning is
// the share of calls that go to the cheap model, which is as good as the dear one that the catalogue prefers.

const CALLS = 3_000;
/** In one run, luck decides about more than a twentieth. */
const seeds = [1, 2, 3, 4, 5, 6, 7, 8];
const FLUSH_EVERY = 100;
const context = testContext();
const { logger } = context;
const { tenant } = context.caller;
const taskOf = (name: string, seed: number): Task => ({ tenant, functionName: `${name} ${seed}` });
const host = { deps: {}, logger, mount: 'test', directory: '.' };
const models = [
  { name: 'dear', quality: 0.9, price: 10, truth: 0.9 },
  { name: 'cheap', quality: 0.6, price: 1, truth: 0.9 },
  { name: 'worse', quality: 0.6, price: 2, truth: 0.5 },
];
const connection = {
  poolSize: 4,
  connectTimeoutMs: 60_000,
  statementTimeoutMs: 60_000,
  lockTimeoutMs: 60_000,
  applicationName: 'test',
};
const missing = missingPostgres();
const reason = missing === undefined ? '' : ` (${missing})`;

describe.skipIf(missing !== undefined)(`learning on one PostgreSQL${reason}`, () => {
  let postgres: TestPostgres;
  let storage: ReturnType<typeof storePlugin.definition.create>;
  beforeAll(async () => {
    postgres = await openPostgres();
    const { url } = await postgres.createDatabase();
    storage = storePlugin.definition.create({ ...host, config: { url, ...connection } });
    await storage.start?.(new AbortController().signal);
    await storage.migrate();
  });
  afterAll(async () => {
    await storage?.stop?.();
    await postgres?.stop();
  });

  const clock = { now: Date.now, monotonic: () => performance.now() };
  const start = (): TaskRecords => createTaskRecords({ storage, clock, logger });
  const config = { weights: {}, targetMs: 4_000, trialShare: 0.3, challengerShare: 0.05 };
  const router = learnedPlugin.definition.create({ ...host, config }) as Router;

  /** The share of the calls that the cheap model answered. @param restartEvery Every second restart is an abrupt end. */
  const gainOf = async (task: Task, replicas: number, restartEvery: number, seed: number): Promise<number> => {
    const chance = createChance(seed);
    const fleet = Array.from({ length: replicas }, start);
    let cheap = 0;
    for (let index = 1; index <= CALLS; index += 1) {
      const records = fleet[index % replicas] as TaskRecords;
      const recordOf = await records.find(task, 0);
      const candidates = models.map(
        ({ name, quality, price }): Candidate => ({
          id: name,
          info: { name, capabilities: ['chat'], quality, pricing: { input: price, output: price * 4 } },
          observed: { firstTokenMs: 500, msPerToken: 10, outputTokens: 100, failureRate: 0, inFlight: 0 },
          ...recordOf(name),
        }),
      );
      const request = { optimize: 'balanced', inputTokens: 1_000, task: task.functionName, mayExplore: true } as const;
      const [first] = await router.route(request, candidates, chance.next, context);
      const { name, truth } = models.find((model) => model.name === first?.id) as (typeof models)[number];
      const score = chance.next() < truth ? 1 : 0;
      records.add(task, { model: name, settingsVersion: 0, fit: null, scores: scoreCounts(score, clock.now()) });
      cheap += Number(name === 'cheap');
      if (index % FLUSH_EVERY === 0) await Promise.all(fleet.map((each) => each.flush()));
      if (index % restartEvery === 0) {
        const turn = index / restartEvery;
        if (turn % 2 === 0) await fleet[turn % replicas]?.stop();
        fleet[turn % replicas] = start();
      }
    }
    await Promise.all(fleet.map((each) => each.stop()));
    return cheap / CALLS;
  };

  it('restarts and three replicas keep the gain', async () => {
    const sums = { alone: 0, together: 0 };
    for (const seed of seeds) {
      sums.alone += await gainOf(taskOf('alone', seed), 1, Number.POSITIVE_INFINITY, seed);
      sums.together += await gainOf(taskOf('together', seed), 3, 110, seed);
    }
    expect(sums.alone / seeds.length).toBeGreaterThan(0.8);
    // Which replica writes first is chance, which moves this by several hundredths; the scorecard has the mean of many runs.
    expect(sums.together).toBeGreaterThan(sums.alone * 0.85);
  });

  it('a process that starts reads every score that was written', async () => {
    const recordOf = await start().find(taskOf('alone', 1), 0);
    const given = models.map(({ name }) => recordOf(name).scores?.given ?? 0);
    expect(given.reduce((sum, each) => sum + each, 0)).toBe(CALLS);
  });
});
