import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context, Counter, Histogram } from '@opentelemetry/api';
import {
  type Attributes,
  type Health,
  type Logger,
  type MetricSource,
  PatchbayError,
  type RequestContext,
  type Span,
  type Telemetry,
} from '@patchbay/core/plugin';
import { attributesOf, type OpenExport, openExport } from './open-export.ts';

export interface OtelOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly traces: boolean;
  readonly metrics: boolean;
  readonly propagate: readonly ('models' | 'webhooks')[];
  readonly sampleRatio: number;
  readonly metricsIntervalMs: number;
  readonly timeoutMs: number;
}

/** Seconds. The same as those of `/metrics`. */
const durationBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** Nothing is registered globally: a host may have its own OpenTelemetry setup. */
export class OtelTelemetry implements Telemetry {
  readonly #options: OtelOptions;
  readonly #logger: Logger;
  readonly #active = new AsyncLocalStorage<Context>();
  readonly #counters = new Map<string, Counter>();
  readonly #histograms = new Map<string, Histogram>();
  #open: OpenExport | undefined;
  #source: MetricSource | undefined;

  constructor(options: OtelOptions, logger: Logger) {
    this.#options = options;
    this.#logger = logger;
  }

  async start(): Promise<void> {
    this.#open = await openExport(this.#options, this.#logger, () => this.#source);
  }

  async stop(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    // They belong to what is closed.
    this.#counters.clear();
    this.#histograms.clear();
    await open?.close();
  }

  async health(): Promise<Health> {
    const failing = this.#open?.state.failing ?? false;
    return failing ? { status: 'warn', detail: 'telemetry cannot be exported to the collector' } : { status: 'pass' };
  }

  observe(source: MetricSource): void {
    this.#source = source;
  }

  outgoing(to: 'models' | 'webhooks'): RequestContext['trace'] {
    const [open, active] = [this.#open, this.#active.getStore()];
    if (open === undefined || active === undefined || !this.#options.propagate.includes(to)) return undefined;
    const span = open.api.trace.getSpanContext(active);
    if (span === undefined || !open.api.isSpanContextValid(span)) return undefined;
    const traceparent = `00-${span.traceId}-${span.spanId}-0${span.traceFlags & 1}`;
    const tracestate = span.traceState?.serialize();
    return { traceparent, ...(tracestate && { tracestate }) };
  }

  async span<T>(
    name: string,
    attributes: Attributes,
    work: (span: Span) => Promise<T>,
    trace?: RequestContext['trace'],
  ): Promise<T> {
    const open = this.#open;
    if (open?.tracer === undefined) return await work({ set() {} });
    const { api, tracer } = open;
    const above = this.#active.getStore() ?? parentOf(trace, api);
    const kind = 'http.route' in attributes ? api.SpanKind.SERVER : kindOf(attributes, api);
    const span = tracer.startSpan(name, { attributes: attributesOf(attributes), kind }, above);
    try {
      const set = (more: Attributes) => {
        span.setAttributes(attributesOf(more));
        const error = more['error.type'];
        if (typeof error === 'string') span.setStatus({ code: api.SpanStatusCode.ERROR, message: error });
      };
      return await this.#active.run(api.trace.setSpan(above, span), () => work({ set }));
    } catch (error) {
      // Messages can contain what a caller sent. The name of the failure does not.
      const type = PatchbayError.is(error) ? error.code : 'internal_error';
      span.setStatus({ code: api.SpanStatusCode.ERROR, message: type });
      span.setAttribute('error.type', type);
      throw error;
    } finally {
      span.end();
    }
  }

  count(name: string, value: number, attributes: Attributes = {}): void {
    const meter = this.#open?.meter;
    if (meter === undefined) return;
    const counter = this.#counters.get(name) ?? meter.createCounter(name, this.#shapeOf(name));
    this.#counters.set(name, counter);
    counter.add(value, this.#labels(name, attributes));
  }

  record(name: string, value: number, attributes: Attributes = {}): void {
    const meter = this.#open?.meter;
    if (meter === undefined) return;
    const histogram = this.#histograms.get(name) ?? meter.createHistogram(name, this.#shapeOf(name));
    this.#histograms.set(name, histogram);
    histogram.record(value, this.#labels(name, attributes));
  }

  /** Known metrics are distinguished by their declared attributes; those of plugins by all attributes. */
  #labels(name: string, attributes: Attributes) {
    return attributesOf(attributes, this.#source?.definitions[name]?.labels);
  }

  #shapeOf(name: string) {
    const definition = this.#source?.definitions[name];
    if (definition === undefined) return {};
    const { unit, description, buckets = durationBounds } = definition;
    return { unit, description, advice: { explicitBucketBoundaries: [...buckets] } };
  }
}

function kindOf(attributes: Attributes, { SpanKind }: OpenExport['api']) {
  const isClient = 'gen_ai.operation.name' in attributes || 'http.request.method' in attributes;
  return isClient ? SpanKind.CLIENT : SpanKind.INTERNAL;
}

/** The trace context of a request, from its W3C `traceparent`; empty without one. */
function parentOf(trace: RequestContext['trace'], api: typeof import('@opentelemetry/api')): Context {
  const [version, traceId, spanId, flags] = trace?.traceparent.split('-') ?? [];
  if (version === undefined || version === 'ff' || !traceId || !spanId || !flags) return api.ROOT_CONTEXT;
  const traceState = trace?.tracestate === undefined ? {} : { traceState: api.createTraceState(trace.tracestate) };
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true, ...traceState };
  return api.isSpanContextValid(parent) ? api.trace.setSpanContext(api.ROOT_CONTEXT, parent) : api.ROOT_CONTEXT;
}
