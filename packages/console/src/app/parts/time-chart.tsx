import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';

export interface Series {
  readonly title: string;
  /** One per time; null: unknown. */
  readonly values: readonly (number | null)[];
  /** Name of a colour in `tokens.css`. */
  readonly color: 'accent' | 'good' | 'warn' | 'bad';
}

interface TimeChartProps {
  /** The figures in words, for people who cannot see them: what the chart shows, and where to read them. */
  readonly label: string;
  /** Epoch milliseconds, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** Amounts of hours, or of days in UTC, as bars; otherwise levels as lines. */
  readonly bars?: 'hour' | 'day';
}

const HEIGHT_PX = 220;

const SECONDS = { hour: 3_600, day: 86_400 } as const;

/** Figures over time. It follows the width of the page and the theme. */
export function TimeChart({ label, times, series, format, bars }: TimeChartProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    let chart: UPlot | undefined;
    const draw = (): void => {
      chart?.destroy();
      const data = [times.map((at) => at / 1_000), ...series.map(({ values }) => [...values])];
      chart = new UPlot(optionsOf(element, series, format, bars), data as UPlot.AlignedData, element);
    };
    draw();
    const resizing = new ResizeObserver(() => chart?.setSize({ width: element.clientWidth, height: HEIGHT_PX }));
    resizing.observe(element);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', draw);
    return () => {
      dark.removeEventListener('change', draw);
      resizing.disconnect();
      chart?.destroy();
    };
  }, [times, series, format, bars]);
  return <div class="chart" role="img" aria-label={label} ref={place} />;
}

function optionsOf(
  element: HTMLElement,
  series: readonly Series[],
  format: (value: number) => string,
  bars: TimeChartProps['bars'],
): UPlot.Options {
  const colors = (name: string): string => colorOf(element, name);
  const axis = { stroke: colors('quiet'), grid: { stroke: colors('line'), width: 1 }, ticks: { show: false } };
  const paths = bars && UPlot.paths.bars?.({ size: [0.7, 40] });
  // Room for half a bar at each end.
  const edge = bars ? SECONDS[bars] / 2 : 0;
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    legend: { show: true },
    cursor: { y: false, points: { show: !bars } },
    ...(bars === 'day' && { tzDate: (seconds: number) => UPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC') }),
    scales: {
      x: { range: (_, first, last) => [first - edge, last + edge] },
      y: { range: (_, _low, high) => [0, high > 0 ? high * 1.1 : 1] },
    },
    // Days have no hours.
    axes: [
      { ...axis, ...(bars === 'day' && { incrs: [1, 2, 7, 14, 28].map((days) => days * SECONDS.day) }) },
      { ...axis, size: 70, values: (_, values) => values.map(format) },
    ],
    series: [
      {},
      ...series.map(({ title, color }) => ({
        label: title,
        stroke: colors(color),
        width: 2,
        ...(bars && { fill: colors(color), width: 0 }),
        ...(paths && { paths }),
        points: { show: !bars, size: 5 },
        value: (_: UPlot, value: number | null) => (value === null ? '' : format(value)),
      })),
    ],
  };
}

/** A canvas supports neither custom properties nor pairs of colours for themes. */
function colorOf(element: HTMLElement, name: string): string {
  const before = element.style.color;
  element.style.color = `var(--${name})`;
  const { color } = getComputedStyle(element);
  element.style.color = before;
  return color;
}
