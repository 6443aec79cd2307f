import type { MetricDefinition } from '../contracts/telemetry.ts';
import definitions from './metric-definitions.json' with { type: 'json' };

/** Seconds: from a request without work to a long answer of a model. */
export const durationBuckets: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120,
];

/** Every metric of Patchbay by its name: that of the OpenTelemetry semantic conventions, where they have one. */
export const metricDefinitions = definitions as Readonly<Record<string, MetricDefinition>>;
