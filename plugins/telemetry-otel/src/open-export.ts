import type { HrTime, Attributes as OtelAttributes } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { MetricData, MetricProducer } from '@opentelemetry/sdk-metrics';
import type { Attributes, Logger, MetricSource } from '@patchbay/core/plugin';
import type { OtelOptions } from './otel-telemetry.ts';

/** The part of the exporters that is watched here. */
interface Exporter<T> {
  export(items: T, done: (result: { readonly code: number; readonly error?: Error }) => void): void;
}

/** Load OpenTelemetry, and create the exporters for the collector. Nothing is sent yet, and no response is awaited. */
export async function openExport(options: OtelOptions, logger: Logger, source: () => MetricSource | undefined) {
  const api = await import('@opentelemetry/api');
  const { resourceFromAttributes } = await import('@opentelemetry/resources');
  const resource = resourceFromAttributes({ 'service.name': options.serviceName });
  const state = { failing: false };
  const watch = createWatch(logger, state);
  const traces = options.traces ? await openTraces(options, resource, watch) : undefined;
  const metrics = options.metrics ? await openMetrics(options, resource, watch, source, api) : undefined;
  return {
    api,
    /** How the last exports went. */
    state,
    tracer: traces?.getTracer('@patchbay/telemetry-otel'),
    meter: metrics?.getMeter('@patchbay/telemetry-otel'),
    /** Send what is left, and close. */
    async close(): Promise<void> {
      const closing = Promise.allSettled([traces?.shutdown(), metrics?.shutdown()]);
      const { promise: late, resolve } = Promise.withResolvers<'late'>();
      const timer = setTimeout(() => resolve('late'), options.timeoutMs);
      const outcome = await Promise.race([closing, late]);
      clearTimeout(timer);
      if (outcome === 'late') logger.warn('the last telemetry could not be exported in time');
    },
  };
}

/** The exporters between start and stop. */
export type OpenExport = Awaited<ReturnType<typeof openExport>>;

type Watch = <T, E extends Exporter<T>>(exporter: E) => E;

async function openTraces({ url, headers, timeoutMs, sampleRatio }: OtelOptions, resource: Resource, watch: Watch) {
  const { BasicTracerProvider, BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler } = await import(
    '@opentelemetry/sdk-trace-base'
  );
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const exporter = watch(new OTLPTraceExporter({ url: endpoint(url, 'traces'), headers, timeoutMillis: timeoutMs }));
  const processor = new BatchSpanProcessor(exporter, { exportTimeoutMillis: timeoutMs });
  const sampler = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) });
  return new BasicTracerProvider({ resource, sampler, spanProcessors: [processor] });
}

async function openMetrics(
  { url, headers, timeoutMs, metricsIntervalMs }: OtelOptions,
  resource: Resource,
  watch: Watch,
  source: () => MetricSource | undefined,
  api: typeof import('@opentelemetry/api'),
) {
  const sdk = await import('@opentelemetry/sdk-metrics');
  const { MeterProvider, PeriodicExportingMetricReader } = sdk;
  const { OTLPMetricExporter } = await import('@opentelemetry/exporter-metrics-otlp-http');
  const exporter = watch(new OTLPMetricExporter({ url: endpoint(url, 'metrics'), headers, timeoutMillis: timeoutMs }));
  const reader = new PeriodicExportingMetricReader({
    exporter,
    metricProducers: [momentProducer(source, resource, sdk, api)],
    exportIntervalMillis: metricsIntervalMs,
    exportTimeoutMillis: Math.min(timeoutMs, metricsIntervalMs),
  });
  return new MeterProvider({ resource, readers: [reader] });
}

function endpoint(url: string, signal: 'traces' | 'metrics'): string {
  return `${url.replace(/\/+$/, '')}/v1/${signal}`;
}

/** Report once that the collector cannot be reached, and once that it can be again. */
function createWatch(logger: Logger, state: { failing: boolean }): Watch {
  return (exporter) => {
    const send = exporter.export.bind(exporter);
    exporter.export = (items, done) => {
      send(items, (result) => {
        const failed = result.code !== 0;
        if (failed && !state.failing)
          logger.warn('telemetry cannot be exported to the collector', { error: result.error });
        if (!failed && state.failing) logger.info('telemetry is exported to the collector again');
        state.failing = failed;
        done(result);
      });
    };
    return exporter;
  };
}

type Sdk = typeof import('@opentelemetry/sdk-metrics');
type Api = typeof import('@opentelemetry/api');

/** Current values, read at each export. Those of kind counter are sums since the start of the process. */
function momentProducer(
  source: () => MetricSource | undefined,
  resource: Resource,
  { AggregationTemporality, DataPointType }: Sdk,
  { ValueType }: Api,
): MetricProducer {
  const startTime = timeOf(performance.timeOrigin);
  return {
    async collect() {
      const given = source();
      const endTime = timeOf(Date.now());
      const metrics = new Map<string, MetricData>();
      for (const { name, value, attributes = {} } of (await given?.samples()) ?? []) {
        const definition = given?.definitions[name];
        if (definition === undefined) continue;
        const { description, unit, kind, labels } = definition;
        const common = {
          descriptor: { name, description, unit, valueType: ValueType.DOUBLE },
          aggregationTemporality: AggregationTemporality.CUMULATIVE,
        };
        const point = { startTime, endTime, attributes: attributesOf(attributes, labels), value };
        const known = metrics.get(name);
        if (known?.dataPointType === DataPointType.SUM || known?.dataPointType === DataPointType.GAUGE) {
          known.dataPoints.push(point);
        } else if (kind === 'counter') {
          metrics.set(name, { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: [point] });
        } else {
          metrics.set(name, { ...common, dataPointType: DataPointType.GAUGE, dataPoints: [point] });
        }
      }
      const scope = { name: '@patchbay/telemetry-otel' };
      return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics: [...metrics.values()] }] }, errors: [] };
    },
  };
}

function timeOf(epochMs: number): HrTime {
  return [Math.floor(epochMs / 1_000), Math.round((epochMs % 1_000) * 1e6)];
}

/** Attributes for OpenTelemetry, without empty ones such as the `error.type` of a success. */
export function attributesOf(
  attributes: Attributes,
  names: readonly string[] = Object.keys(attributes),
): OtelAttributes {
  const told: OtelAttributes = {};
  for (const name of names) {
    const value = attributes[name];
    if (value === undefined || value === '') continue;
    told[name] = typeof value === 'object' ? [...value] : value;
  }
  return told;
}
