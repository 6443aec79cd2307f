import { describe, expect, it } from 'vitest';
import { scheduleTimes } from './schedule-times.ts';

const createdAt = '2026-01-01T00:00:00.500Z';

/** The times of a pattern within a range, whose end is not part of it. */
async function timesWithin(cron: string, timezone: string, start: string, end: string): Promise<readonly string[]> {
  const times = await scheduleTimes({ cron, timezone, every: null, createdAt });
  const found: string[] = [];
  for (let at = times.next(Date.parse(start) - 1); at !== undefined && at < Date.parse(end); at = times.next(at)) {
    found.push(new Date(at).toISOString().slice(5, 16));
    expect(times.previous(at + 1)).toBe(at);
  }
  return found;
}

describe('the times of a schedule', () => {
  it.each([
    ['Europe/Berlin', '2026-03-28', '2026-03-31', ['03-28T01:30', '03-29T01:00', '03-30T00:30']],
    ['Europe/Berlin', '2026-10-24', '2026-10-27', ['10-24T00:30', '10-25T00:30', '10-26T01:30']],
    ['America/New_York', '2026-03-07', '2026-03-10', ['03-07T07:30', '03-08T07:00', '03-09T06:30']],
    ['Australia/Lord_Howe', '2026-10-02', '2026-10-05', ['10-02T16:00', '10-03T15:30', '10-04T15:30']],
  ])('in %s from %s come once a day, even on days when the clocks change', async (timezone, start, end, expected) => {
    expect(await timesWithin('30 2 * * *', timezone, `${start}T00:00Z`, `${end}T00:00Z`)).toEqual(expected);
  });

  it.each([
    ['Europe/Berlin', '2026-03-29T00:00Z'],
    ['Europe/Berlin', '2026-10-25T00:00Z'],
    ['America/New_York', '2026-11-01T04:00Z'],
    ['America/New_York', '2026-03-08T05:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T13:00Z'],
  ])('stay evenly spaced while the clocks change in %s at %s', async (timezone, start) => {
    const end = new Date(Date.parse(start) + 6 * 3_600_000).toISOString();
    const found = await timesWithin('*/30 * * * *', timezone, start, end);
    expect(found).toHaveLength(12);
  });

  it.each([
    ['30 2,14 * * *', '2026-03-29', ['03-29T01:00', '03-29T12:30']],
    ['0,30 2 * * *', '2026-03-29', ['03-29T01:00']],
    ['30 1-3 * * *', '2026-03-29', ['03-29T00:30', '03-29T01:00', '03-29T01:30']],
    ['30 2,14 * * *', '2026-10-25', ['10-25T00:30', '10-25T13:30']],
    ['0,30 2 * * *', '2026-10-25', ['10-25T00:00', '10-25T00:30']],
    ['30 1-3 * * *', '2026-10-25', ['10-25T00:30', '10-25T02:30']],
  ])('of the list or range in %s are fixed times on %s, when the clocks change', async (cron, day, expected) => {
    expect(await timesWithin(cron, 'Europe/Berlin', `${day}T00:00Z`, `${day}T22:00Z`)).toEqual(expected);
  });

  it('with an interval count from the creation of the schedule', async () => {
    const times = await scheduleTimes({ cron: null, timezone: null, every: '90s', createdAt });
    const start = Date.parse(createdAt);
    expect(times.next(start - 5_000)).toBe(start + 90_000);
    expect(times.next(start)).toBe(start + 90_000);
    expect(times.next(start + 90_000)).toBe(start + 180_000);
    expect(times.previous(start + 180_000)).toBe(start + 90_000);
    expect(times.previous(start + 90_000)).toBeUndefined();
  });

  it.each(['90', '0s', '1.5h', '5 m', ''])('cannot be read from the interval "%s"', async (every) => {
    await expect(scheduleTimes({ cron: null, timezone: null, every, createdAt })).rejects.toThrow(/seconds, minutes/);
  });
});
