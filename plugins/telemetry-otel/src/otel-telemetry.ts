import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context, Counter, Histogram, Meter, Tracer } from '@opentelemetry/api';
import {
  type Attributes,
  type Logger,
  PatchbayError,
  type RequestContext,
  type Span,
  type Telemetry,
} from '@patchbay/core/plugin';
import { openExport } from './open-export.ts';
import { parentOf } from './parent-of.ts';

export interface OtelOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly traces: boolean;
  readonly metrics: boolean;
  readonly sampleRatio: number;
  readonly metricsIntervalMs: number;
  readonly timeoutMs: number;
}

/** What is open between start and stop. */
export interface OpenExport {
  readonly api: typeof import('@opentelemetry/api');
  readonly tracer: Tracer | undefined;
  readonly meter: Meter | undefined;
  /** Send what is left, and close. */
  close(): Promise<void>;
}

/** Seconds. The same as those of `/metrics`. */
const durationBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** Nothing of OpenTelemetry is global here: a host may have a set-up of its own beside it. */
export class OtelTelemetry implements Telemetry {
  readonly #options: OtelOptions;
  readonly #logger: Logger;
  readonly #active = new AsyncLocalStorage<Context>();
  readonly #counters = new Map<string, Counter>();
  readonly #histograms = new Map<string, Histogram>();
  #open: OpenExport | undefined;

  constructor(options: OtelOptions, logger: Logger) {
    this.#options = options;
    this.#logger = logger;
  }

  async start(): Promise<void> {
    this.#open = await openExport(this.#options, this.#logger);
  }

  async stop(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    // They belong to what is closed.
    this.#counters.clear();
    this.#histograms.clear();
    await open?.close();
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
    const span = tracer.startSpan(name, { attributes: { ...attributes }, kind }, above);
    try {
      const set = (more: Attributes) => void span.setAttributes({ ...more });
      return await this.#active.run(api.trace.setSpan(above, span), () => work({ set }));
    } catch (error) {
      // Messages can hold what a caller has sent. The name of the failure does not.
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
    const counter = this.#counters.get(name) ?? meter.createCounter(name);
    this.#counters.set(name, counter);
    counter.add(value, { ...attributes });
  }

  record(name: string, value: number, attributes: Attributes = {}): void {
    const meter = this.#open?.meter;
    if (meter === undefined) return;
    const histogram = this.#histograms.get(name) ?? meter.createHistogram(name, shapeOf(name));
    this.#histograms.set(name, histogram);
    histogram.record(value, { ...attributes });
  }
}

function kindOf(attributes: Attributes, { SpanKind }: OpenExport['api']) {
  return 'gen_ai.operation.name' in attributes ? SpanKind.CLIENT : SpanKind.INTERNAL;
}

function shapeOf(name: string) {
  const isTime = /\.(duration|time_to_first_chunk)$/.test(name);
  return isTime ? { unit: 's', advice: { explicitBucketBoundaries: durationBounds } } : {};
}
