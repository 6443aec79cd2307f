import type { RequestContext } from './context.ts';
import type { Lifecycle } from './lifecycle.ts';

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface Span {
  set(attributes: Attributes): void;
}

/** Where measurements go. Names follow the OpenTelemetry semantic conventions. Never throws, never waits. */
export interface Telemetry extends Lifecycle {
  /**
   * Time a piece of work. The span ends when `work` settles, and carries its error. Spans that are opened meanwhile belong
   * to it; the outermost one belongs to `trace`, which is that of whoever sent the request.
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
}
