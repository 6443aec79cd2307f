import { decimalUsd, PatchbayError, usageGroupings } from '@patchbay/core';
import { defineOperation } from '../operation.ts';
import type { UsageGrouping, UsageReport, UsageTotals } from '../service-types.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const MOST_DAYS = 92;

const readUsage = defineOperation({
  id: 'readUsage',
  method: 'GET',
  path: '/usage',
  area: 'system',
  scope: 'usage:read',
  summary: 'Read what was used',
  description:
    'Executions and calls of models of the tenant, with tokens, cost and time, in sums that are exact. What functions call ' +
    'counts for the caller who executed them.',
  query: {
    from: {
      type: 'string',
      maxLength: 30,
      description: 'First day, or beginning of the first hour, in UTC. Default: 30 days before `to`.',
    },
    to: {
      type: 'string',
      maxLength: 30,
      description: 'First day, or hour, that does not count any more. Default: the next full hour.',
    },
    groupBy: { type: 'string', enum: usageGroupings, description: 'What to make separate sums for.' },
  },
  success: { status: 200, description: 'The sums.', schema: 'Usage' },
  errors: [],
  async handle({ query, context }, { services: { usage }, host: { clock } }) {
    const to = query.to === undefined ? nextHour(clock.now()) : readHour('to', query.to);
    const from = query.from === undefined ? to - DEFAULT_DAYS * DAY_MS : readHour('from', query.from);
    if (from > to) throw invalid('from', 'must not be after to');
    if (to - from > MOST_DAYS * DAY_MS) throw invalid('from', `must be at most ${MOST_DAYS} days before to`);
    const range = { from: iso(from), to: iso(to) };
    const { groupBy } = query;
    const report = await usage.report({ ...range, ...(groupBy !== undefined && { groupBy }) }, context);
    return { json: usageJson(report, range, groupBy) };
  },
});

const form = /^\d{4}-\d\d-\d\d(?:T\d\d:00:00(?:\.000)?Z)?$/;
const HOUR_MS = 3_600_000;

/** @throws PatchbayError `invalid_request`: usage is kept by the hour, so nothing finer can be asked for. */
function readHour(name: string, text: string): number {
  const value = form.test(text) ? Date.parse(text) : Number.NaN;
  // A day such as 2026-02-30 is parsed as another one.
  if (!Number.isNaN(value) && iso(value).startsWith(text.slice(0, 10))) return value;
  throw invalid(name, 'must be a day such as 2026-01-31, or a full hour such as 2026-01-31T13:00:00Z');
}

function invalid(name: string, detail: string): PatchbayError {
  return new PatchbayError('invalid_request', 'the query is not valid', {
    errors: [{ pointer: `?${name}`, code: 'invalid_time', detail }],
  });
}

const nextHour = (now: number): number => (Math.floor(now / HOUR_MS) + 1) * HOUR_MS;
const iso = (ms: number): string => new Date(ms).toISOString();

export const usageOperations = [readUsage];

/** Sums as they are sent. The cost is a decimal, because sums of it have to stay exact. */
function usageJson(
  { total, groups }: UsageReport,
  range: { readonly from: string; readonly to: string },
  groupBy: UsageGrouping | undefined,
) {
  return {
    data: groups.map(({ group, totals }) => ({ group, ...totalsJson(totals) })),
    total: totalsJson(total),
    meta: groupBy === undefined ? range : { ...range, groupBy },
  };
}

function totalsJson({ costNanoUsd, unpricedCalls, ...totals }: UsageTotals) {
  const cost = costNanoUsd === null ? null : { amount: decimalUsd(costNanoUsd), currency: 'USD' };
  return { ...totals, cost, unpricedCalls };
}
