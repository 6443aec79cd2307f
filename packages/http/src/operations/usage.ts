import { decimalUsd, PatchbayError, usageGroupings } from '@patchbay/core';
import { defineOperation } from '../operation.ts';
import type { BudgetState, CallSums, UsageGrouping, UsageReport, UsageTotals } from '../service-types.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const MOST_DAYS = 92;

/** The query parameters of sums over time. */
const range = {
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
} as const;

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
    ...range,
    groupBy: { type: 'string', enum: usageGroupings, description: 'What to make separate sums for.' },
  },
  success: { status: 200, description: 'The sums.', schema: 'Usage' },
  errors: [],
  async handle({ query, context }, { services: { usage }, host: { clock } }) {
    const asked = readRange(query, clock.now());
    const { groupBy } = query;
    const report = await usage.report({ ...asked, ...(groupBy !== undefined && { groupBy }) }, context);
    return { json: usageJson(report, asked, groupBy) };
  },
});

const readOverview = defineOperation({
  id: 'readOverview',
  method: 'GET',
  path: '/overview',
  area: 'system',
  scope: 'usage:read',
  summary: 'Read how calls went over time',
  description:
    'How many calls of functions and models there were, how they ended, how long they took and what they cost, by the hour ' +
    'or day in which they ended. A call that another one made is part of that one. `parts` is how the parts of this server ' +
    'are now.',
  query: {
    ...range,
    by: { type: 'string', enum: ['hour', 'day'], default: 'hour', description: 'Length of a period.' },
  },
  success: { status: 200, description: 'The periods in which there were calls, in order.', schema: 'Overview' },
  errors: [],
  async handle({ query, context }, { services: { usage }, host }) {
    const asked = { ...readRange(query, host.clock.now()), by: query.by };
    const [{ total, periods }, health] = await Promise.all([usage.overview(asked, context), host.health()]);
    const data = periods.map(({ start, ...sums }) => ({ start, ...callSumsJson(sums) }));
    // Their details are for the operator, who has the log.
    const parts = Object.entries(health.parts).map(([name, { status }]) => ({ name, status }));
    return { json: { data, total: callSumsJson(total), parts, meta: asked } };
  },
});

const MOST_BUDGETS = 100;

const listBudgets = defineOperation({
  id: 'listBudgets',
  method: 'GET',
  path: '/budgets',
  area: 'system',
  scope: 'usage:read',
  summary: 'Read what is left of budgets',
  description:
    'The budgets of the tenant, and of its API keys that are neither revoked nor expired. Not for credentials that ' +
    'are limited to some functions.',
  success: { status: 200, description: 'The budgets, those of which most was spent first.', schema: 'Budgets' },
  errors: [],
  async handle({ context }, { services: { usage } }) {
    const { budgets, enforced } = await usage.budgets(context);
    const meta = { total: budgets.length, enforced };
    return { json: { data: budgets.slice(0, MOST_BUDGETS).map(budgetJson), meta } };
  },
});

const form = /^\d{4}-\d\d-\d\d(?:T\d\d:00:00(?:\.000)?Z)?$/;
const HOUR_MS = 3_600_000;

interface RangeQuery {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** The range of a request. @throws PatchbayError `invalid_request`. */
function readRange(query: RangeQuery, now: number): { readonly from: string; readonly to: string } {
  const to = query.to === undefined ? nextHour(now) : readHour('to', query.to);
  const from = query.from === undefined ? to - DEFAULT_DAYS * DAY_MS : readHour('from', query.from);
  if (from > to) throw invalid('from', 'must not be after to');
  if (to - from > MOST_DAYS * DAY_MS) throw invalid('from', `must be at most ${MOST_DAYS} days before to`);
  return { from: iso(from), to: iso(to) };
}

/** @throws PatchbayError `invalid_request`: usage is kept by the hour, so nothing finer can be requested. */
function readHour(name: string, text: string): number {
  const value = form.test(text) ? Date.parse(text) : Number.NaN;
  // A day such as 2026-02-30 is parsed as another day.
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

export const usageOperations = [readUsage, readOverview, listBudgets];

function budgetJson({ limitNanoUsd, spentNanoUsd, ...budget }: BudgetState) {
  const [limit, spent, remaining] = [limitNanoUsd, spentNanoUsd, Math.max(0, limitNanoUsd - spentNanoUsd)].map((nano) =>
    decimalUsd(Math.round(nano)),
  );
  return { ...budget, currency: 'USD', limit, spent, remaining };
}

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

function callSumsJson({ costNanoUsd, ...sums }: CallSums) {
  return { ...sums, cost: { amount: decimalUsd(costNanoUsd), currency: 'USD' } };
}
