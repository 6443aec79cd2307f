import type { RequestContext } from './context.ts';
import type { Lifecycle } from './lifecycle.ts';

/** Lists are for spans only; metrics have no list labels. May be frozen, and the same object for many measurements. */
export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export interface Span {
  set(attributes: Attributes): void;
}

/** Definition of a metric and its labels. */
export interface MetricDefinition {
  readonly kind: 'counter' | 'histogram' | 'gauge';
  /** As in the OpenTelemetry conventions: `s`, `By`, or `{token}` for a count. */
  readonly unit: string;
  readonly description: string;
  /** Attributes that form separate series. Never an id or text of a caller. */
  readonly labels: readonly string[];
  /** Upper bounds of the buckets. Default: those for durations. */
  readonly buckets?: readonly number[];
}

/** A current value. */
export interface Sample {
  readonly name: string;
  readonly value: number;
  readonly attributes?: Attributes;
}

/** Gauges: queue lengths, work in progress, health of a part. */
export interface MetricSource {
  /** Every metric of the host by its name, including those passed to `count` and `record`. */
  readonly definitions: Readonly<Record<string, MetricDefinition>>;
  /** The current values. May read the storage: call it every few seconds at most. Never rejects. */
  samples(): Promise<readonly Sample[]>;
}

/** Receives measurements. Names follow the OpenTelemetry semantic conventions. Never throws, never waits. */
export interface Telemetry extends Lifecycle {
  /**
   * Measure work. The span ends when `work` settles, and records its error. Spans that are opened meanwhile are its
   * children; the outermost one belongs to `trace`, the trace of the request.
   */
  span<T>(
    name: string,
    attributes: Attributes,
    work: (span: Span) => Promise<T>,
    trace?: RequestContext['trace'],
  ): Promise<T>;
  /** Add to a monotonic counter. */
  count(name: string, value: number, attributes?: Attributes): void;
  /** Record a value of a distribution: durations in seconds, sizes. */
  record(name: string, value: number, attributes?: Attributes): void;
  /** Receive the source of gauge values, after `start` and before the first measurement. Default: they are only at `/metrics`. */
  observe?(source: MetricSource): void;
  /**
   * The trace headers for an outgoing request, on behalf of the innermost open span: to the
   * provider of a model, or to the receiver of a webhook. Default, and if undefined: none.
   */
  outgoing?(to: 'models' | 'webhooks'): RequestContext['trace'];
}
