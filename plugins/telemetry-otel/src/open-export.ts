import type { Logger } from '@patchbay/core/plugin';
import type { OpenExport, OtelOptions } from './otel-telemetry.ts';

/** The part of the exporters that is watched here. */
interface Exporter<T> {
  export(items: T, done: (result: { readonly code: number; readonly error?: Error }) => void): void;
}

/** Load OpenTelemetry, and open the way to the collector. Nothing is sent yet, and nobody waits for an answer. */
export async function openExport(options: OtelOptions, logger: Logger): Promise<OpenExport> {
  const api = await import('@opentelemetry/api');
  const { resourceFromAttributes } = await import('@opentelemetry/resources');
  const resource = resourceFromAttributes({ 'service.name': options.serviceName });
  const watch = createWatch(logger);
  const traces = options.traces ? await openTraces(options, resource, watch) : undefined;
  const metrics = options.metrics ? await openMetrics(options, resource, watch) : undefined;
  return {
    api,
    tracer: traces?.getTracer('@patchbay/telemetry-otel'),
    meter: metrics?.getMeter('@patchbay/telemetry-otel'),
    async close() {
      const closing = Promise.allSettled([traces?.shutdown(), metrics?.shutdown()]);
      const { promise: late, resolve } = Promise.withResolvers<'late'>();
      const timer = setTimeout(() => resolve('late'), options.timeoutMs);
      const outcome = await Promise.race([closing, late]);
      clearTimeout(timer);
      if (outcome === 'late') logger.warn('the last measurements could not be sent in time');
    },
  };
}

type Resource = ReturnType<typeof import('@opentelemetry/resources').resourceFromAttributes>;
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
) {
  const { MeterProvider, PeriodicExportingMetricReader } = await import('@opentelemetry/sdk-metrics');
  const { OTLPMetricExporter } = await import('@opentelemetry/exporter-metrics-otlp-http');
  const exporter = watch(new OTLPMetricExporter({ url: endpoint(url, 'metrics'), headers, timeoutMillis: timeoutMs }));
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: metricsIntervalMs,
    exportTimeoutMillis: Math.min(timeoutMs, metricsIntervalMs),
  });
  return new MeterProvider({ resource, readers: [reader] });
}

function endpoint(url: string, signal: 'traces' | 'metrics'): string {
  return `${url.replace(/\/+$/, '')}/v1/${signal}`;
}

/** Say once that the collector cannot be reached, and once that it can be again. */
function createWatch(logger: Logger): Watch {
  let failing = false;
  return (exporter) => {
    const send = exporter.export.bind(exporter);
    exporter.export = (items, done) => {
      send(items, (result) => {
        const failed = result.code !== 0;
        if (failed && !failing) logger.warn('measurements cannot be sent to the collector', { error: result.error });
        if (!failed && failing) logger.info('measurements are sent to the collector again');
        failing = failed;
        done(result);
      });
    };
    return exporter;
  };
}
