import { performance } from 'node:perf_hooks';
import { definePlugin } from '@patchbay/contracts/define-plugin';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { Storage } from '@patchbay/contracts/storage';
import type { Attributes, MetricDefinition, Sample, Telemetry } from '@patchbay/contracts/telemetry';
import definitions from './metric-definitions.json' with { type: 'json' };

/** Seconds: from a request without work to a long model response. */
export const durationBuckets: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120,
];

/** Every metric of Patchbay by its name: that of the OpenTelemetry semantic conventions, if they have one. */
export const metricDefinitions = definitions as Readonly<Record<string, MetricDefinition>>;

/** Passes every measurement to the metrics of this process and to the mounted plugin. */
export interface Measuring extends Pick<Telemetry, 'span' | 'count' | 'record' | 'outgoing'> {
  /** Whether spans are recorded. If not, their attributes need not be computed. */
  readonly hasSpans: boolean;
}

/** A span that is open for as long as a response, and that nothing waits for. */
export interface OpenSpan {
  within<T>(work: () => T): T;
  over(): void;
  failed(error: unknown): void;
}

/** In place of a span where none is recorded. */
export const noSpan: OpenSpan = { within: (work) => work(), over() {}, failed() {} };

/** Measurements in memory, and in `mounted` if there is one. */
export function createMeasuring(registry: MetricRegistry, mounted: Telemetry): Measuring {
  return {
    hasSpans: mounted !== silent,
    span: (name, attributes, work, trace) => mounted.span(name, attributes, work, trace),
    outgoing: (to) => mounted.outgoing?.(to),
    count(name, value, attributes?: Attributes) {
      registry.count(name, value, attributes);
      mounted.count(name, value, attributes);
    },
    record(name, value, attributes?: Attributes) {
      registry.record(name, value, attributes);
      mounted.record(name, value, attributes);
    },
  };
}

const silentSpan = { set() {} };

const silent: Telemetry = {
  span: (_name, _attributes, work) => work(silentSpan),
  count() {},
  record() {},
};

/** Measures nothing: the telemetry of a host that mounts none. */
export const silentTelemetry = definePlugin({
  name: '@patchbay/core/silent-telemetry',
  kind: 'telemetry',
  version: 1,
  config: { properties: {} },
  create: () => silent,
});

/** Maximum number of series per metric; further ones are counted in one with all labels `other`. */
const MOST_SERIES = 2_000;

/** Maximum number of metrics of plugins. */
const MOST_METRICS = 200;

export interface Series {
  readonly labels: readonly string[];
  /** For a histogram: the count of each bucket, not cumulative; the last one is beyond all bounds. */
  readonly buckets?: number[];
  count: number;
  sum: number;
}

export interface Metric {
  readonly name: string;
  readonly definition: MetricDefinition;
  readonly series: ReadonlyMap<string, Series>;
}

/** Keeps metrics in memory until they are collected. */
export interface MetricRegistry extends Pick<Telemetry, 'count' | 'record'> {
  /** All metrics so far, with these current values. */
  collect(samples: readonly Sample[]): readonly Metric[];
}

interface KeptMetric {
  readonly definition: MetricDefinition;
  readonly series: Map<string, Series>;
  /** Series of frozen attributes: code on busy paths passes the same object each time, which is found without joining its values. */
  readonly byAttributes: WeakMap<Attributes, Series>;
}

export function createMetricRegistry(): MetricRegistry {
  const metrics = new Map<string, KeptMetric>();

  const metricOf = (name: string, kind: MetricDefinition['kind'], attributes: Attributes): KeptMetric | undefined => {
    const found = metrics.get(name);
    if (found) return found;
    if (!Object.hasOwn(metricDefinitions, name) && metrics.size >= MOST_METRICS) return undefined;
    const definition = metricDefinitions[name] ?? { kind, unit: '', description: '', labels: Object.keys(attributes) };
    const metric: KeptMetric = { definition, series: new Map(), byAttributes: new WeakMap() };
    metrics.set(name, metric);
    return metric;
  };

  const add = (name: string, value: number, attributes: Attributes, kind: MetricDefinition['kind']): void => {
    const metric = metricOf(name, kind, attributes);
    if (metric === undefined) return;
    const { definition } = metric;
    const series = metric.byAttributes.get(attributes) ?? foundSeries(metric, attributes);
    series.count += 1;
    series.sum += value;
    if (series.buckets) {
      const place = (definition.buckets ?? durationBuckets).findIndex((bound) => value <= bound);
      const index = place === -1 ? series.buckets.length - 1 : place;
      series.buckets[index] = (series.buckets[index] ?? 0) + 1;
    }
  };

  return {
    count: (name, value, attributes = {}) => add(name, value, attributes, 'counter'),
    record: (name, value, attributes = {}) => add(name, value, attributes, 'histogram'),
    collect(samples) {
      const now = new Map<string, Map<string, Series>>();
      for (const { name, value, attributes = {} } of samples) {
        const definition = metricDefinitions[name];
        if (definition === undefined) continue;
        const series = now.get(name) ?? new Map<string, Series>();
        now.set(name, series);
        seriesOf(series, definition, attributes).sum += value;
      }
      const kept = [...metrics].map(([name, { definition, series }]) => ({ name, definition, series }));
      const sampled = [...now].flatMap(([name, series]) => {
        const definition = metricDefinitions[name];
        return definition === undefined ? [] : [{ name, definition, series }];
      });
      return [...kept, ...sampled];
    },
  };
}

function foundSeries({ definition, series, byAttributes }: KeptMetric, attributes: Attributes): Series {
  const found = seriesOf(series, definition, attributes);
  if (Object.isFrozen(attributes)) byAttributes.set(attributes, found);
  return found;
}

function seriesOf(all: Map<string, Series>, definition: MetricDefinition, attributes: Attributes): Series {
  let key = '';
  for (const label of definition.labels) key += `${String(attributes[label] ?? '')}\0`;
  const found = all.get(key);
  if (found) return found;
  const isFull = all.size >= MOST_SERIES;
  const labels = definition.labels.map((label) => (isFull ? 'other' : String(attributes[label] ?? '')));
  const place = isFull ? labels.map((label) => `${label}\0`).join('') : key;
  const other = all.get(place);
  if (other) return other;
  const bounds = definition.buckets ?? durationBuckets;
  const buckets =
    definition.kind === 'histogram' ? { buckets: Array.from({ length: bounds.length + 1 }, () => 0) } : {};
  const series: Series = { labels, count: 0, sum: 0, ...buckets };
  all.set(place, series);
  return series;
}

type Operation = 'commit' | 'get' | 'list' | 'scan';

const done: Readonly<Record<Operation, Attributes>> = {
  commit: Object.freeze({ operation: 'commit', 'error.type': '' }),
  get: Object.freeze({ operation: 'get', 'error.type': '' }),
  list: Object.freeze({ operation: 'list', 'error.type': '' }),
  scan: Object.freeze({ operation: 'scan', 'error.type': '' }),
};

/** A storage that has been started, whose every operation is measured. A refused commit is a result, not an error. */
export function measuredStorage(storage: Storage, { record }: Pick<Measuring, 'record'>): Storage {
  const measure = async <T>(operation: Operation, work: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    const end = (attributes: Attributes) =>
      record('patchbay.storage.operation.duration', (performance.now() - startedAt) / 1_000, attributes);
    try {
      const answer = await work();
      end(done[operation]);
      return answer;
    } catch (error) {
      end({ operation, 'error.type': PatchbayError.is(error) ? error.code : 'internal_error' });
      throw error;
    }
  };
  const pending = storage.pendingMigrations?.bind(storage);
  return {
    ...(storage.capabilities && { capabilities: storage.capabilities }),
    ...(storage.signals && { signals: storage.signals }),
    ...(pending && { pendingMigrations: pending }),
    get: (tenant, collection, id) => measure('get', () => storage.get(tenant, collection, id)),
    list: (tenant, collection, query) => measure('list', () => storage.list(tenant, collection, query)),
    commit: (tenant, writes, options) => measure('commit', () => storage.commit(tenant, writes, options)),
    scanAllTenants: (collection, where, limit, sort, heads) =>
      measure('scan', () => storage.scanAllTenants(collection, where, limit, sort, heads)),
    migrate: () => storage.migrate(),
  };
}

/** The name of a failure: one of our codes, or `internal_error`. */
export function errorTypeOf(error: unknown): string {
  return PatchbayError.is(error) ? error.code : 'internal_error';
}
