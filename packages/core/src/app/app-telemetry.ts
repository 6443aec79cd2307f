import type { Telemetry } from '../contracts/telemetry.ts';
import { createMeasuring, type Measuring, type MetricRegistry } from '../telemetry/measuring.ts';
import { metricDefinitions } from '../telemetry/metric-definitions.ts';
import { createProcessSamples } from '../telemetry/process-samples.ts';
import { prometheusText } from '../telemetry/prometheus-text.ts';
import { currentSamples, type MeasuredState } from './sample-sources.ts';

export interface AppTelemetry extends Measuring {
  /** Tell of values of a moment from now on, and not only of those of the process. */
  observe(state: MeasuredState): void;
  /** All metrics in the text format of Prometheus. */
  metrics(): Promise<string>;
  stop(): void;
}

export function createAppTelemetry(registry: MetricRegistry, mounted: Telemetry): AppTelemetry {
  // One for each reader: the delay of the event loop is that since the same reader asked last.
  const own = createProcessSamples();
  const told = mounted.observe && createProcessSamples();
  let state: MeasuredState | undefined;
  const samplesBeside = async (process: typeof own) => [
    ...process.samples(),
    ...(state === undefined ? [] : await currentSamples(state)),
  ];
  if (told) mounted.observe?.({ definitions: metricDefinitions, samples: () => samplesBeside(told) });
  return {
    ...createMeasuring(registry, mounted),
    observe(given) {
      state = given;
    },
    metrics: async () => prometheusText(registry.collect(await samplesBeside(own))),
    stop() {
      own.stop();
      told?.stop();
    },
  };
}
