import type { MetricDefinition } from '@patchbay/contracts/telemetry';
import { durationBuckets, type Metric, type Series } from './measuring.ts';

const units: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes', USD: '_usd' };

/** `http_server_request_duration_seconds`, of `http.server.request.duration`. */
export function prometheusName(name: string, { kind, unit }: Pick<MetricDefinition, 'kind' | 'unit'>): string {
  return `${name.replaceAll(/\W/g, '_')}${units[unit] ?? ''}${kind === 'counter' ? '_total' : ''}`;
}

/** Metrics in the text format of Prometheus. */
export function prometheusText(metrics: readonly Metric[]): string {
  return metrics.map((metric) => textOf(metric)).join('');
}

function textOf({ name, definition, series }: Metric): string {
  const full = prometheusName(name, definition);
  const lines = [`# HELP ${full} ${escaped(definition.description)}`, `# TYPE ${full} ${definition.kind}`];
  const names = definition.labels.map((label) => label.replaceAll(/\W/g, '_'));
  for (const each of series.values()) {
    const labels = names.map(
      (label, index) => `${label}="${escaped(each.labels[index] ?? '').replaceAll('"', '\\"')}"`,
    );
    if (definition.kind === 'histogram') lines.push(...histogramLines(full, labels, each, definition));
    else lines.push(`${full}${braced(labels)} ${each.sum}`);
  }
  return `${lines.join('\n')}\n`;
}

function histogramLines(name: string, labels: readonly string[], series: Series, definition: MetricDefinition) {
  const bounds = [...(definition.buckets ?? durationBuckets), '+Inf'];
  let sum = 0;
  const buckets = bounds.map((bound, index) => {
    sum += series.buckets?.[index] ?? 0;
    return `${name}_bucket${braced([...labels, `le="${bound}"`])} ${sum}`;
  });
  return [...buckets, `${name}_sum${braced(labels)} ${series.sum}`, `${name}_count${braced(labels)} ${series.count}`];
}

function braced(labels: readonly string[]): string {
  return labels.length === 0 ? '' : `{${labels.join(',')}}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
