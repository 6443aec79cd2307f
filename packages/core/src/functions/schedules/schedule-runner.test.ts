import { silentLogger } from '@patchbay/contracts/base/logger';
import type { ApiKeyRow, ExecutionStatus } from '@patchbay/contracts/rows';
import { beforeEach, describe, expect, it } from 'vitest';
import type { WebhookEvent } from '../../events/webhook-outbox.ts';
import { contextOf, createParts, summarize, type TestParts } from '../fixtures/function-parts.ts';
import { createFunctionService } from '../function-service.ts';
import { pauseOfLostKeys } from './lost-keys.ts';
import { ScheduleRunner } from './schedule-runner.ts';
import { createScheduleService, type ScheduleInput, type ScheduleService } from './schedule-service.ts';

const context = contextOf('acme');
const { tenant } = context.caller;
const input = { text: 'a' };

let parts: TestParts;
let functionId: string;
let schedules: ScheduleService;
let woken: number;

/** The events that webhooks would receive. */
let told: WebhookEvent[];

const runner = () =>
  new ScheduleRunner({
    ...parts,
    settings: () => parts.settings,
    maxQueued: () => 5,
    logger: silentLogger,
    outbox: {
      async writes(_tenant, events) {
        told.push(...events);
        return [];
      },
      notify: () => undefined,
    },
    audit: {
      ...parts.audit,
      async commit(actor, writes, event) {
        told.push(...(event.announces ?? []));
        return await parts.audit.commit(actor, writes, event);
      },
    },
  });

beforeEach(async () => {
  parts = createParts();
  functionId = (await createFunctionService(parts).create(summarize, context)).id;
  woken = 0;
  told = [];
  schedules = createScheduleService({
    ...parts,
    settings: () => parts.settings,
    maxQueued: () => 5,
    wake: () => (woken += 1),
  });
});

const create = (fields: Partial<ScheduleInput> = {}) =>
  schedules.create(functionId, { every: '10s', input, ...fields }, context);

/** The times of a schedule, in seconds, that have an execution, with its status. */
async function seen(id: string): Promise<readonly (readonly [second: number, status: ExecutionStatus])[]> {
  const found = await parts.storage.scanAllTenants('executions', { scheduleId: id }, 1_000, 'createdAt');
  return found
    .map(({ row }) => [(Date.parse(row.scheduledFor ?? '') - start) / 1_000, row.status] as const)
    .toSorted(([one], [other]) => one - other);
}

const start = Date.UTC(2026, 0, 1);

const revoked: ApiKeyRow = {
  id: context.caller.id,
  revision: 1,
  lookupId: 'lookup',
  name: 'Nightly runs',
  secretHash: 'hash',
  scopes: ['*'],
  createdAt: '2026-01-01T00:00:00.000Z',
  createdBy: 'key_other',
  expiresAt: null,
  revokedAt: '2026-01-01T00:00:05.000Z',
  ipAddresses: null,
  functions: null,
  rateLimit: null,
  budget: null,
  lastUsedAt: null,
  rotatedAt: null,
  previousHash: null,
  previousUntil: null,
};

async function endAll(status: ExecutionStatus = 'completed'): Promise<void> {
  for (const { row } of await parts.storage.scanAllTenants('executions', { status: 'queued' }, 1_000)) {
    await parts.storage.commit(tenant, [{ update: 'executions', id: row.id, set: { status } }]);
  }
}

describe('a schedule', () => {
  it('creates one execution for each time, which runs as the caller who wrote the schedule', async () => {
    const { id, nextAt } = await create({ overlap: 'allow' });
    expect([woken, nextAt]).toEqual([1, '2026-01-01T00:00:10.000Z']);
    const one = runner();
    expect(await one.look()).toBe(5_000);
    parts.clock.advance(9_000);
    expect(await one.look()).toBe(1_000);
    expect(await seen(id)).toEqual([]);
    for (let tick = 0; tick < 3; tick += 1) {
      parts.clock.advance(tick === 0 ? 1_000 : 10_000);
      expect(await one.look()).toBe(0);
    }
    expect(await seen(id)).toEqual([
      [10, 'queued'],
      [20, 'queued'],
      [30, 'queued'],
    ]);
    const [found] = await parts.storage.scanAllTenants('executions', { scheduleId: id }, 1, 'createdAt');
    expect(found?.row).toMatchObject({
      createdBy: 'key_acme',
      principal: { id: 'key_acme' },
      input,
      effectiveInput: { text: 'a', maxPoints: 5 },
    });
  });

  it('creates one execution, however many servers look', async () => {
    const { id } = await create();
    const servers = Array.from({ length: 5 }, runner);
    parts.clock.advance(10_000);
    await Promise.all(servers.map((server) => server.look()));
    expect(await seen(id)).toEqual([[10, 'queued']]);
    expect((await parts.storage.scanAllTenants('jobs', {}, 10)).length).toBe(1);
  });

  it('creates no second execution when a clock that was set back reaches a time again', async () => {
    const { id } = await create({ overlap: 'allow' });
    const one = runner();
    parts.clock.advance(10_000);
    await one.look();
    parts.clock.advance(3_600_000);
    await one.look();
    await one.look();
    expect(await seen(id)).toHaveLength(3);
    parts.clock.advance(-3_605_000);
    await one.followClock();
    expect((await schedules.get(functionId, id, context)).nextAt).toBe('2026-01-01T00:00:10.000Z');
    for (let second = 0; second < 30; second += 5) {
      await one.look();
      parts.clock.advance(5_000);
    }
    expect((await seen(id)).map(([second]) => second)).toEqual([10, 20, 30, 3600, 3610]);
  });

  it.each([
    ['skip', ['queued', 'cancelled', 'cancelled'], [null, null, null]],
    ['queue', ['queued', 'queued', 'queued'], [null, 'the first', 'the second']],
    ['allow', ['queued', 'queued', 'queued'], [null, null, null]],
  ] as const)('handles overlapping runs by its overlap policy: %s', async (overlap, statuses, order) => {
    const { id } = await create({ overlap });
    const one = runner();
    for (let tick = 0; tick < 3; tick += 1) {
      parts.clock.advance(10_000);
      await one.look();
    }
    const found = await parts.storage.scanAllTenants('executions', { scheduleId: id }, 10, 'createdAt');
    const names = new Map(found.map(({ row }, place) => [row.id, ['the first', 'the second', 'the third'][place]]));
    expect(found.map(({ row }) => row.status)).toEqual(statuses);
    expect(found.map(({ row }) => (row.after === null ? null : names.get(row.after)))).toEqual(order);
    await endAll();
    parts.clock.advance(10_000);
    await one.look();
    expect((await seen(id)).at(-1)).toEqual([40, 'queued']);
  });

  it.each([
    ['none', [100], '2026-01-01T00:01:30.000Z'],
    ['last', [100], '2026-01-01T00:01:30.000Z'],
    ['all', [10, 20, 30, 40, 50, 60, 70, 80, 90, 100], null],
  ] as const)('catches up on times without a server with catchUp %s', async (catchUp, expected, lastMissedAt) => {
    const { id } = await create({ catchUp, overlap: 'allow' });
    const one = runner();
    parts.clock.advance(105_000);
    while ((await one.look()) === 0) await endAll();
    expect((await seen(id)).map(([second]) => second)).toEqual(expected);
    expect((await schedules.get(functionId, id, context)).lastMissedAt).toBe(lastMissedAt);
  });

  it('catches up on the last time only if the next one is not due', async () => {
    const missed = async (catchUp: 'none' | 'last') => {
      const { id } = await create({ name: catchUp, every: '1h', catchUp });
      return id;
    };
    const [none, last] = [await missed('none'), await missed('last')];
    parts.clock.advance(2.5 * 3_600_000);
    const one = runner();
    await one.look();
    expect([await seen(none), await seen(last)]).toEqual([[], [[7_200, 'queued']]]);
    expect((await schedules.get(functionId, none, context)).lastMissedAt).toBe('2026-01-01T02:00:00.000Z');
    expect((await schedules.get(functionId, last, context)).lastMissedAt).toBe('2026-01-01T01:00:00.000Z');
  });

  it('records a time as failed if the input no longer fits, or too much is queued', async () => {
    const { id } = await create({ overlap: 'allow' });
    const body = { ...summarize, input: { ...summarize.input, required: ['text', 'maxPoints', 'more'] } };
    const { id: other } = await create({ name: 'other', overlap: 'allow' });
    await schedules.pause(functionId, other, context);
    const one = runner();
    for (let tick = 0; tick < 6; tick += 1) {
      parts.clock.advance(10_000);
      await one.look();
    }
    expect((await seen(id)).map(([, status]) => status)).toEqual([...Array(5).fill('queued'), 'failed']);
    await createFunctionService(parts).replace(functionId, body, context);
    await endAll();
    parts.clock.advance(10_000);
    await one.look();
    expect((await seen(id)).at(-1)).toEqual([70, 'failed']);
    // Each is a dead letter as well.
    const failures = ['concurrency_limited', 'input_invalid'].flatMap((errorCode) =>
      ['execution.failed', 'dead_letter.created'].map((type) => ({ type, data: { errorCode, scheduleId: id } })),
    );
    expect(told).toMatchObject(failures);
    expect(await seen(other)).toEqual([]);
  });

  it('is paused when the key that it runs as is revoked, and goes on as the caller who resumes it', async () => {
    const { id } = await create();
    await parts.storage.commit(tenant, [{ insert: 'apiKeys', row: revoked }]);
    const one = runner();
    parts.clock.advance(10_000);
    await one.look();
    expect(await seen(id)).toEqual([]);
    expect(await schedules.get(functionId, id, context)).toMatchObject({
      state: 'paused',
      pausedReason: 'key_revoked',
    });
    const data = { scheduleId: id, functionId, name: 'default', reason: 'key_revoked' };
    expect(told).toEqual([{ type: 'schedule.paused', data }]);
    const other = { ...context, caller: { ...context.caller, id: 'key_other' } };
    parts.clock.advance(60_000);
    await schedules.resume(functionId, id, other);
    parts.clock.advance(10_000);
    await one.look();
    expect(await seen(id)).toEqual([[80, 'queued']]);
  });

  it('is paused when the keys are checked, whenever its next time is, unlike a schedule of another key', async () => {
    const { id } = await create({ every: '1h' });
    const other = { ...context, caller: { ...context.caller, id: 'key_other' } };
    const kept = await schedules.create(functionId, { name: 'kept', every: '1h', input }, other);
    await parts.storage.commit(tenant, [{ insert: 'apiKeys', row: revoked }]);
    await pauseOfLostKeys(parts);
    const stateOf = async (each: string) => (await schedules.get(functionId, each, context)).state;
    expect([await stateOf(id), await stateOf(kept.id)]).toEqual(['paused', 'active']);
  });

  it('ends with its function', async () => {
    await create();
    await createFunctionService(parts).delete(functionId, context);
    expect(await parts.storage.scanAllTenants('schedules', {}, 10)).toEqual([]);
  });
});
