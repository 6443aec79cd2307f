/**
 * Gauges that count something in each process: the server's value is the sum. For all others the largest value says most,
 * such as the longest delay or the age of the oldest job; all processes read the latter from one storage.
 */
const summed = new Set([
  'http_server_active_requests',
  'patchbay_executor_runs',
  'patchbay_model_active',
  'process_memory_usage_bytes',
  'process_unix_file_descriptor_count',
  'v8js_memory_heap_limit_bytes',
  'v8js_memory_heap_used_bytes',
]);

/** Of these, the smallest value: a part is only as healthy as in its worst process. */
const smallest = new Set(['patchbay_part_health']);

interface Family {
  readonly head: readonly string[];
  readonly kind: string;
  /** Values by name and labels, in the order in which they appeared. */
  readonly values: Map<string, number>;
}

/**
 * The metrics of several processes as those of one server, each in the text format of Prometheus: counters and histograms are
 * added.
 *
 * @param ended Texts of processes that have ended: their counters still count, their gauges no longer do.
 */
export function mergeMetrics(running: readonly string[], ended: readonly string[] = []): string {
  const families = new Map<string, Family>();
  for (const text of ended) addText(families, text, false);
  for (const text of running) addText(families, text, true);
  return [...families.values()]
    .map(({ head, values }) => [...head, ...[...values].map(([series, value]) => `${series} ${value}`), ''].join('\n'))
    .join('');
}

function addText(families: Map<string, Family>, text: string, isRunning: boolean): void {
  let family: Family | undefined;
  let help = '';
  for (const line of text.split('\n')) {
    if (line.startsWith('# HELP ')) help = line;
    else if (line.startsWith('# TYPE ')) {
      const [, , name = '', kind = ''] = line.split(' ');
      family = families.get(name) ?? { head: [help, line], kind, values: new Map() };
      families.set(name, family);
    } else if (line !== '' && family && (isRunning || family.kind !== 'gauge')) addValue(family, line);
  }
}

function addValue({ kind, values }: Family, line: string): void {
  // Labels may contain spaces, values do not.
  const space = line.lastIndexOf(' ');
  const series = line.slice(0, space);
  const value = Number(line.slice(space + 1));
  const before = values.get(series);
  if (before === undefined) values.set(series, value);
  else values.set(series, together(kind, series.replace(/\{.*/s, ''), before, value));
}

function together(kind: string, name: string, one: number, other: number): number {
  if (kind !== 'gauge' || summed.has(name)) return one + other;
  return smallest.has(name) ? Math.min(one, other) : Math.max(one, other);
}
