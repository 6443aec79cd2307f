import type { Lifecycle } from './lifecycle.ts';

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface Span {
  set(attributes: Attributes): void;
}

/** Where measurements go. Names follow the OpenTelemetry semantic conventions. Never throws, never waits. */
export interface Telemetry extends Lifecycle {
  /** Time a piece of work. The span ends when `work` settles, and carries its error. */
  span<T>(name: string, attributes: Attributes, work: (span: Span) => Promise<T>): Promise<T>;
  count(name: string, value: number, attributes?: Attributes): void;
  record(name: string, value: number, attributes?: Attributes): void;
}
