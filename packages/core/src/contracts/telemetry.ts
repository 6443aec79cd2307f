import type { RequestContext } from './context.ts';
import type { Lifecycle } from './lifecycle.ts';

/** Lists are for spans; metrics have no list labels. */
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
  /** Attributes that make a separate series. None of them is an id or a text of a caller. */
  readonly labels: readonly string[];
  /** Upper bounds. Default: those of durations. */
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
  /** The current values. May read the storage: once in some seconds is often enough. Never rejects. */
  samples(): Promise<readonly Sample[]>;
}

/** Where measurements go. Names follow the OpenTelemetry semantic conventions. Never throws, never waits. */
export interface Telemetry extends Lifecycle {
  /**
   * Time a piece of work. The span ends when `work` settles, and carries its error. Spans that are opened meanwhile belong
   * to it; the outermost one belongs to `trace`, the trace of the request.
   */
  span<T>(
    name: string,
    attributes: Attributes,
    work: (span: Span) => Promise<T>,
    trace?: RequestContext['trace'],
  ): Promise<T>;
  /** Add to a sum that only grows. */
  count(name: string, value: number, attributes?: Attributes): void;
  /** One of many values that are looked at together: durations in seconds, sizes. */
  record(name: string, value: number, attributes?: Attributes): void;
  /** Receive the source of gauge values, after `start` and before the first measurement. Default: they are only at `/metrics`. */
  observe?(source: MetricSource): void;
  /**
   * The trace to send along with a request that is made right now, on behalf of the innermost span that is open: to the
   * provider of a model, or to the receiver of a webhook. Default, and undefined: none.
   */
  outgoing?(to: 'models' | 'webhooks'): RequestContext['trace'];
}
