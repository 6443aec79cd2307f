import { useMemo } from 'preact/hooks';
import type { Overview } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useLoad } from '../../frame/use-load.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorView } from '../../parts/error-view.tsx';
import { Facts } from '../../parts/facts.tsx';
import { costText, durationText } from '../../parts/figures.ts';
import { Page } from '../../parts/page.tsx';
import { Attention } from './attention.tsx';
import { OverviewCharts } from './overview-charts.tsx';
import { PartsHealth } from './parts-health.tsx';

const DAY_MS = 86_400_000;

const ranges = { 1: 'Last day', 7: 'Last 7 days', 30: 'Last 30 days' } as const;

/** How calls went, and what needs attention. */
export default function OverviewScreen({ query }: ScreenProps) {
  const { api, router } = useConsole();
  const days = Object.hasOwn(ranges, query['days'] ?? '') ? Number(query['days']) : 1;
  const by = days === 1 ? 'hour' : 'day';
  const from = useMemo(() => firstDay(days, by), [days]);
  const { data, error, reload } = useLoad(
    (signal) => api.call('readOverview', { query: { from, by }, signal }),
    [from],
  );
  return (
    <Page
      title="Overview"
      actions={
        <select
          aria-label="Period"
          value={String(days)}
          onChange={(event) => router.filter({ days: event.currentTarget.value })}
        >
          {Object.entries(ranges).map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      }
    >
      <Attention />
      {error !== undefined && <ErrorView error={error} onRetry={reload} />}
      {data && <PartsHealth parts={data.parts} />}
      {data && (data.total.calls === 0 ? <NoCalls /> : <Figures overview={data} />)}
    </Page>
  );
}

/** The beginning of the first hour or day of a period. */
function firstDay(days: number, by: 'hour' | 'day'): string {
  const step = by === 'hour' ? DAY_MS / 24 : DAY_MS;
  return new Date(Math.ceil((Date.now() - days * DAY_MS) / step) * step).toISOString();
}

function NoCalls() {
  return (
    <EmptyState title="There were no calls in this time">
      <p>
        <a href={linkTo(['connect'])}>Connect a program</a>, or <a href={linkTo(['playground'])}>try a model</a>.
      </p>
    </EmptyState>
  );
}

function Figures({ overview }: { readonly overview: Overview }) {
  const { calls, failed, cached, repaired, cost, durationMs } = overview.total;
  const share = (count: number): string => `${count.toLocaleString()} (${((count / calls) * 100).toFixed(1)} %)`;
  return (
    <>
      <Facts
        facts={[
          [
            'Calls',
            <a key="calls" href={linkTo(['calls'])}>
              {calls.toLocaleString()}
            </a>,
          ],
          [
            'Failed',
            <a key="failed" href={linkTo(['calls'], { outcome: 'failed' })}>
              {share(failed)}
            </a>,
          ],
          ['Repaired', share(repaired)],
          ['From the cache', share(cached)],
          ['Cost', costText(cost)],
          ['Half took at most', durationMs && durationText(durationMs.p50)],
          ['95 % took at most', durationMs && durationText(durationMs.p95)],
          ['99 % took at most', durationMs && durationText(durationMs.p99)],
        ]}
      />
      <OverviewCharts overview={overview} />
    </>
  );
}
