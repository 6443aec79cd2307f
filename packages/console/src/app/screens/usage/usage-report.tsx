import { useMemo } from 'preact/hooks';
import type { Usage } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { useLoad } from '../../frame/use-load.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorView } from '../../parts/error-view.tsx';
import { Facts } from '../../parts/facts.tsx';
import { type Series, TimeChart } from '../../parts/time-chart.tsx';
import { figureOf, figureText, tokensOf, usd } from './figures.ts';
import { measures, type UsagePeriod } from './usage-filters.tsx';
import { UsageTable } from './usage-table.tsx';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** The sums of a period, over time and by what they belong to. */
export function UsageReport({ period }: { readonly period: UsagePeriod }) {
  const { api } = useConsole();
  const { days, measure, groupBy } = period;
  const { data, error, reload } = useLoad(
    async (signal) => {
      const to = (Math.floor(Date.now() / HOUR_MS) + 1) * HOUR_MS;
      const range = { from: iso(to - days * DAY_MS), to: iso(to) };
      const [overTime, groups] = await Promise.all([
        api.call('readUsage', { query: { ...range, groupBy: stepOf(days) }, signal }),
        api.call('readUsage', { query: { ...range, groupBy }, signal }),
      ]);
      return { overTime, groups };
    },
    [days, groupBy],
  );
  const format = useMemo(() => figureText(measure), [measure]);
  const overTime = data?.overTime;
  const times = useMemo(() => (overTime ? timesOf(overTime) : []), [overTime]);
  const series = useMemo((): readonly Series[] => {
    const totals = new Map(overTime?.data.map((each) => [Date.parse(each.group), each]));
    const values = times.map((at) => {
      const found = totals.get(at);
      return found ? figureOf(found, measure) : 0;
    });
    return [{ title: measures[measure], values, color: 'accent' }];
  }, [overTime, times, measure]);
  if (error !== undefined) return <ErrorView error={error} onRetry={reload} />;
  if (!data) return null;
  const { total } = data.groups;
  if (total.executions + total.modelCalls + total.cachedCalls === 0) {
    return (
      <EmptyState title="Nothing was used in this time">
        <p>Executions and calls of models are counted here, with their tokens and cost.</p>
      </EmptyState>
    );
  }
  return (
    <>
      <Facts
        facts={[
          ['Cost', total.cost ? usd(total.cost.amount) : 'no price is known'],
          ['Model calls', total.modelCalls.toLocaleString()],
          ['Executions', total.executions.toLocaleString()],
          ['Answered from the cache', total.cachedCalls.toLocaleString()],
          ['Tokens', tokensOf(total).toLocaleString()],
          ['Failures', total.failures.toLocaleString()],
          ['Calls without a price', total.unpricedCalls === 0 ? undefined : total.unpricedCalls.toLocaleString()],
        ]}
      />
      <TimeChart
        label={`${measures[measure]} over time. The table below has the sums.`}
        times={times}
        series={series}
        format={format}
        bars={stepOf(days)}
      />
      <UsageTable usage={data.groups} groupBy={groupBy} measure={measure} />
    </>
  );
}

const stepOf = (days: number): 'hour' | 'day' => (days === 1 ? 'hour' : 'day');

const iso = (ms: number): string => new Date(ms).toISOString();

/** Every hour or day of the range, including those in which nothing was used. */
function timesOf({ meta }: Usage): readonly number[] {
  const step = meta.groupBy === 'hour' ? HOUR_MS : DAY_MS;
  const [from, to] = [Date.parse(meta.from), Date.parse(meta.to)];
  const first = Math.floor(from / step) * step;
  return Array.from({ length: Math.ceil((to - first) / step) }, (_, index) => first + index * step);
}
