import type { AppConfig } from '@patchbay/core';
import { pricesNeeded } from '../prices-needed.ts';
import type { Report } from '../report.ts';
import type { Source } from '../source/source.ts';

type Limits = NonNullable<AppConfig['limits']>;
type CallerLimits = NonNullable<Limits['key']>;

const seconds: Readonly<Record<string, number>> = { second: 1, minute: 60, hour: 3_600, day: 86_400 };

/** Rules for all requests are limits of the tenant, rules for each key are limits of keys. */
export function readLimits(root: Source, report: Report): Limits | undefined {
  let key: CallerLimits = {};
  let tenant: CallerLimits = {};
  for (const rule of root.member('rate_limiting')?.member('rules')?.items() ?? []) {
    const holder = holderOf(rule);
    if (holder === undefined) {
      report.notMapped(rule, 'limits are those of a tenant or of each key, not of tags');
      continue;
    }
    rule.member('scope')?.take();
    rule.boolean('always');
    rule.number('priority');
    const whose = holder === 'key' ? 'each key' : 'each tenant';
    const limits: CallerLimits = Object.assign(
      {},
      ...rule.members().map(([name, limit]) => limitOf(name, limit, whose, report)),
    );
    if (holder === 'key') key = { ...key, ...limits };
    else tenant = { ...tenant, ...limits };
  }
  const has = (limits: CallerLimits): boolean => Object.keys(limits).length > 0;
  return has(key) || has(tenant) ? { ...(has(key) && { key }), ...(has(tenant) && { tenant }) } : undefined;
}

function holderOf(rule: Source): 'key' | 'tenant' | undefined {
  const scope = rule.member('scope')?.items() ?? [];
  if (scope.length === 0) return 'tenant';
  const isEachKey = scope.length === 1 && scope[0]?.member('api_key_public_id')?.scalar === 'tensorzero::each';
  return isEachKey ? 'key' : undefined;
}

const kinds = 'requests per second, minute, hour or day, tokens per minute, and dollars per day or month';

/** A limit such as `tokens_per_minute`. */
function limitOf(name: string, limit: Source, whose: string, report: Report): CallerLimits {
  const [, resource = '', window = ''] = /^(model_inferences|tokens|cost)_per_(\w+)$/.exec(name) ?? [];
  if (resource === '' || typeof limit.scalar !== 'number') return {};
  const amount = limit.take() as number;
  const per = seconds[window];
  if (resource === 'model_inferences' && per !== undefined) {
    report.mapped(limit, `requests of ${whose} to models`);
    return { model: { requests: amount, seconds: per, burst: amount } };
  }
  if (resource === 'tokens' && window === 'minute') {
    report.mapped(limit, `tokens of ${whose} per minute`);
    return { tokensPerMinute: amount };
  }
  if (resource === 'cost' && (window === 'day' || window === 'month')) {
    report.changed(limit, `the budget of ${whose}, per calendar ${window} in UTC; ${pricesNeeded}`);
    return { budget: { usd: amount, period: window } };
  }
  report.notMapped(limit, `limits are ${kinds}`);
  return {};
}
