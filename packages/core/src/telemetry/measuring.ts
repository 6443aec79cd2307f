import type { Attributes, Telemetry } from '../contracts/telemetry.ts';
import type { MetricRegistry } from './metric-registry.ts';

/** What everything that is measured goes through: to the metrics of this process, and to the plugin that is mounted. */
export type Measuring = Pick<Telemetry, 'span' | 'count' | 'record' | 'outgoing'>;

/** Measurements in memory, and in `mounted` where there is one. */
export function createMeasuring(registry: MetricRegistry, mounted: Telemetry): Measuring {
  return {
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
