import { beforeEach, describe, expect, it } from 'vitest';
import { contextOf, createParts, summarize, type TestParts } from '../fixtures/function-parts.ts';
import { createFunctionService } from '../function-service.ts';
import { createScheduleService, type ScheduleInput, type ScheduleService } from './schedule-service.ts';

const context = contextOf('acme');
const input = { text: 'a' };

let parts: TestParts;
let functionId: string;
let schedules: ScheduleService;

beforeEach(async () => {
  parts = createParts();
  functionId = (await createFunctionService(parts).create(summarize, context)).id;
  schedules = createScheduleService({
    ...parts,
    settings: () => parts.settings,
    maxQueued: () => 2,
    wake: () => undefined,
  });
});

describe('the schedules of a function', () => {
  it.each<[why: string, ScheduleInput, pointer: string, code: string]>([
    ['without times', {}, '/cron', 'one_of'],
    ['with two kinds of times', { cron: '* * * * *', every: '5m' }, '/cron', 'one_of'],
    ['with an interval in a time zone', { every: '5m', timezone: 'UTC' }, '/timezone', 'not_applicable'],
    ['with an unknown time zone', { cron: '* * * * *', timezone: 'Mars/Base' }, '/timezone', 'unknown_timezone'],
    ['with a pattern that is none', { cron: 'at noon today' }, '/cron', 'unreadable'],
    ['with a date in place of a pattern', { cron: '2026-12-12T00:00:00' }, '/cron', 'unreadable'],
    ['with a year', { cron: '0 0 0 1 1 * 2030' }, '/cron', 'unreadable'],
    ['with a day that never comes', { cron: '0 0 30 2 *' }, '/cron', 'never'],
  ])('are refused %s', async (_why, fields, pointer, code) => {
    await expect(schedules.create(functionId, { input, ...fields }, context)).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer, code }],
    });
  });

  it('are refused with an input that does not fit, and for a name that is taken', async () => {
    await expect(schedules.create(functionId, { every: '5m' }, context)).rejects.toMatchObject({
      code: 'input_invalid',
    });
    await schedules.create(functionId, { every: '5m', input }, context);
    await expect(schedules.create(functionId, { every: '1h', input }, context)).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('show their next times, even while they are paused', async () => {
    const { id } = await schedules.create(
      functionId,
      { cron: '0 9 * * MON-FRI', timezone: 'Europe/Berlin', input, enabled: false },
      context,
    );
    expect(await schedules.nextRuns(functionId, id, 3, context)).toEqual([
      '2026-01-01T08:00:00.000Z',
      '2026-01-02T08:00:00.000Z',
      '2026-01-05T08:00:00.000Z',
    ]);
  });

  it('keep their name when they are replaced, and continue from now', async () => {
    const { id } = await schedules.create(functionId, { every: '5m', input }, context);
    await expect(
      schedules.replace(functionId, id, { name: 'other', every: '5m', input }, context),
    ).rejects.toMatchObject({ errors: [{ pointer: '/name', code: 'immutable' }] });
    const cron = { cron: '0 0 * * *', input };
    expect(await schedules.replace(functionId, id, cron, context)).toMatchObject({
      every: null,
      timezone: 'UTC',
      nextAt: '2026-01-02T00:00:00.000Z',
    });
  });

  it('run on demand, in order if they queue, for the caller who asks', async () => {
    const { id } = await schedules.create(functionId, { every: '5m', input, overlap: 'queue' }, context);
    const other = { ...context, caller: { ...context.caller, id: 'key_other' } };
    const first = await schedules.run(functionId, id, other);
    const second = await schedules.run(functionId, id, context);
    expect(first).toMatchObject({ status: 'queued', createdBy: 'key_other', scheduledFor: null, after: null });
    expect(second).toMatchObject({ after: first.id });
    await expect(schedules.run(functionId, id, context)).rejects.toMatchObject({ code: 'concurrency_limited' });
    const page = { sort: 'createdAt', order: 'asc', limit: 10, offset: 0 } as const;
    const { rows, total } = await schedules.listExecutions(functionId, id, page, context);
    expect([total, rows.map((row) => row.id)]).toEqual([2, [first.id, second.id]]);
  });

  it('are not found under another function, and are gone once deleted', async () => {
    const { id } = await schedules.create(functionId, { every: '5m', input }, context);
    const other = (await createFunctionService(parts).create(summarize, context)).id;
    await expect(schedules.get(other, id, context)).rejects.toMatchObject({ code: 'schedule_not_found' });
    await schedules.delete(functionId, id, context);
    await expect(schedules.delete(functionId, id, context)).rejects.toMatchObject({ code: 'schedule_not_found' });
  });
});
