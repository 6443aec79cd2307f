import type { AppConfig } from '@patchbay/core';
import { pricesNeeded } from '../prices-needed.ts';
import type { Report } from '../report.ts';
import type { Source } from '../source/source.ts';

type Limits = NonNullable<AppConfig['limits']>;
type CallerLimits = NonNullable<Limits['key']>;
type Period = NonNullable<CallerLimits['budget']>['period'];

const periods: Readonly<Record<string, Period>> = {
  '1d': 'day',
  '24h': 'day',
  '30d': 'month',
  '31d': 'month',
  '1mo': 'month',
};

/** Budgets and limits of the whole proxy, and those that keys get unless they are given others. */
export function readLimits(root: Source, report: Report): Limits | undefined {
  const settings = root.member('litellm_settings');
  const tenant: CallerLimits = {
    ...budgetOf(settings, 'the budget of each tenant', report),
    ...concurrentOf(root.member('general_settings'), 'global_max_parallel_requests', report),
  };
  const standard = settings?.member('default_key_generate_params');
  const key: CallerLimits = {
    ...budgetOf(standard, 'the budget of each key', report),
    ...rateOf(standard, report),
    ...tokensOf(standard, report),
    ...concurrentOf(standard, 'max_parallel_requests', report),
  };
  const limits = {
    ...(Object.keys(key).length > 0 && { key }),
    ...(Object.keys(tenant).length > 0 && { tenant }),
  };
  return Object.keys(limits).length > 0 ? limits : undefined;
}

function budgetOf(section: Source | undefined, counterpart: string, report: Report): Pick<CallerLimits, 'budget'> {
  const amount = section?.member('max_budget');
  if (section === undefined || typeof amount?.scalar !== 'number') return {};
  const duration = section.text('budget_duration');
  const period = duration === undefined ? undefined : periods[duration];
  if (period === undefined) {
    const given = duration === undefined ? 'that never begins anew' : `of ${duration}`;
    report.notMapped(amount, `there is no budget ${given}: the periods are day and month`);
    return {};
  }
  const usd = amount.take() as number;
  report.changed(amount, `${counterpart}: ${usd} USD per calendar ${period} in UTC; ${pricesNeeded}`);
  return { budget: { usd, period } };
}

function rateOf(section: Source | undefined, report: Report): Pick<CallerLimits, 'model'> {
  const limit = section?.member('rpm_limit');
  const requests = section?.number('rpm_limit');
  if (limit === undefined || requests === undefined) return {};
  report.mapped(limit, `requests of each key to models: ${requests} per minute`);
  return { model: { requests, seconds: 60, burst: requests } };
}

function tokensOf(section: Source | undefined, report: Report): Pick<CallerLimits, 'tokensPerMinute'> {
  const limit = section?.member('tpm_limit');
  const tokensPerMinute = section?.number('tpm_limit');
  if (limit === undefined || tokensPerMinute === undefined) return {};
  report.mapped(limit, `tokens of each key per minute: ${tokensPerMinute}`);
  return { tokensPerMinute };
}

function concurrentOf(section: Source | undefined, name: string, report: Report): Pick<CallerLimits, 'concurrent'> {
  const limit = section?.member(name);
  const model = section?.number(name);
  if (limit === undefined || model === undefined) return {};
  report.mapped(limit, `concurrent requests to models: ${model}`);
  return { concurrent: { model } };
}
