/** The requested report. */
export interface UsagePeriod {
  readonly days: number;
  readonly measure: Measure;
  readonly groupBy: Grouping;
}

export const measures = {
  cost: 'Cost',
  modelCalls: 'Model calls',
  executions: 'Executions',
  tokens: 'Tokens',
  failures: 'Failures',
} as const;

export const groupings = { model: 'Model', function: 'Function', key: 'Key', provider: 'Provider' } as const;

export type Measure = keyof typeof measures;
export type Grouping = keyof typeof groupings;

const ranges: Readonly<Record<string, string>> = {
  1: 'Last day',
  7: 'Last 7 days',
  30: 'Last 30 days',
  92: 'Last 92 days',
};

/** Read it from the URL, where other values mean the default. */
export function readPeriod({
  days = '30',
  measure = 'cost',
  by = 'model',
}: Readonly<Record<string, string>>): UsagePeriod {
  return {
    days: Number(Object.hasOwn(ranges, days) ? days : 30),
    measure: Object.hasOwn(measures, measure) ? (measure as Measure) : 'cost',
    groupBy: Object.hasOwn(groupings, by) ? (by as Grouping) : 'model',
  };
}

const groupingTitles: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(groupings).map(([name, title]) => [name, `By ${title.toLowerCase()}`]),
);

export function UsageFilters(props: {
  readonly period: UsagePeriod;
  readonly onChange: (query: Readonly<Record<string, string>>) => void;
}) {
  const { period, onChange } = props;
  const select = (label: string, name: string, value: string, options: Readonly<Record<string, string>>) => (
    <select aria-label={label} value={value} onChange={(event) => onChange({ [name]: event.currentTarget.value })}>
      {Object.entries(options).map(([each, title]) => (
        <option key={each} value={each}>
          {title}
        </option>
      ))}
    </select>
  );
  return (
    <>
      {select('Period', 'days', String(period.days), ranges)}
      {select('Figure', 'measure', period.measure, measures)}
      {select('Sums by', 'by', period.groupBy, groupingTitles)}
    </>
  );
}
