import { useMemo } from 'preact/hooks';
import type { Overview } from '../../api/operations.generated.ts';
import { costText, durationText } from '../../parts/figures.ts';
import { type Series, TimeChart } from '../../parts/time-chart.tsx';

type Period = Overview['data'][number];

const STEP_MS = { hour: 3_600_000, day: 86_400_000 } as const;

const usdText = (value: number): string => (value === 0 ? '$0' : costText({ amount: String(value) }));
const countText = (value: number): string => value.toLocaleString();

/** Calls, their durations and their cost over time. */
export function OverviewCharts({ overview: { data, meta } }: { readonly overview: Overview }) {
  const { from, to, by } = meta;
  const { times, calls, durations, costs } = useMemo(() => {
    const first = Date.parse(from);
    const count = Math.ceil((Date.parse(to) - first) / STEP_MS[by]);
    const known = new Map(data.map((period) => [Date.parse(period.start), period]));
    const all = Array.from({ length: count }, (_, index) => first + index * STEP_MS[by]);
    const series = <V,>(title: string, color: Series['color'], figureOf: (period: Period | undefined) => V) => ({
      title,
      color,
      values: all.map((at) => figureOf(known.get(at))),
    });
    return {
      times: all,
      calls: [
        series('Calls', 'accent', (period) => period?.calls ?? 0),
        series('Failed', 'bad', (period) => period?.failed ?? 0),
      ],
      costs: [series('Cost', 'accent', (period) => Number(period?.cost.amount ?? 0))],
      durations: [
        series('50 %', 'good', (period) => period?.durationMs?.p50 ?? null),
        series('95 %', 'accent', (period) => period?.durationMs?.p95 ?? null),
        series('99 %', 'warn', (period) => period?.durationMs?.p99 ?? null),
      ],
    };
  }, [data, from, to, by]);
  return (
    <>
      <section aria-label="Calls over time">
        <h2>Calls</h2>
        <TimeChart
          label="Calls over time, and those that failed. The sums are above."
          times={times}
          series={calls}
          format={countText}
          bars={by}
        />
      </section>
      <section aria-label="Cost over time">
        <h2>Cost</h2>
        <TimeChart
          label="Cost of the calls over time, in US dollars. The sum is above."
          times={times}
          series={costs}
          format={usdText}
          bars={by}
        />
      </section>
      <section aria-label="Durations over time">
        <h2>Durations</h2>
        <TimeChart
          label="Durations that 50, 95 and 99 percent of the calls did not exceed. Those of the whole time are above."
          times={times}
          series={durations}
          format={durationText}
        />
      </section>
    </>
  );
}
