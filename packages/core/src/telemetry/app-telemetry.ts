import type { Clock } from '../contracts/clock.ts';
import type { Logger } from '../contracts/context.ts';
import type { Executor } from '../contracts/executor.ts';
import type { Health } from '../contracts/lifecycle.ts';
import type { Storage } from '../contracts/storage.ts';
import type { Attributes, Telemetry } from '../contracts/telemetry.ts';
import type { MetricRegistry, Sample } from './metric-registry.ts';
import { createProcessSamples } from './process-samples.ts';
import { prometheusText } from './prometheus-text.ts';
import { queueSamples } from './queue-samples.ts';

/** What everything that is measured goes through: to the metrics of this process, and to the plugin that is mounted. */
export type Measuring = Pick<Telemetry, 'span' | 'count' | 'record'>;

export interface AppTelemetry extends Measuring {
  /** All metrics in the text format of Prometheus. */
  metrics(state: MeasuredState): Promise<string>;
  stop(): void;
}

/** What is asked for its state when metrics are read. */
export interface MeasuredState {
  readonly storage: Storage;
  /** Whether jobs are rows of the storage. */
  readonly hasStoredJobs: boolean;
  readonly clock: Clock;
  readonly executor: Executor | undefined;
  readonly health: Readonly<Record<string, Health>>;
  readonly logger: Logger;
}

/** Measurements in memory, and in `mounted` where there is one. */
export function createMeasuring(registry: MetricRegistry, mounted: Telemetry): Measuring {
  return {
    span: (name, attributes, work, trace) => mounted.span(name, attributes, work, trace),
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

export function createAppTelemetry(registry: MetricRegistry, mounted: Telemetry): AppTelemetry {
  const own = createProcessSamples();
  return {
    ...createMeasuring(registry, mounted),
    async metrics(state) {
      const samples = [...own.samples(), ...healthSamples(state.health), ...loadSamples(state.executor)];
      return prometheusText(registry.collect([...samples, ...(await jobSamples(state))]));
    },
    stop: () => own.stop(),
  };
}

/** Metrics are asked for most urgently while the storage is away. */
async function jobSamples({ hasStoredJobs, storage, clock, logger }: MeasuredState): Promise<readonly Sample[]> {
  if (!hasStoredJobs) return [];
  try {
    return await queueSamples(storage, clock);
  } catch (error) {
    logger.warn('the queue could not be counted', { error });
    return [];
  }
}

const wellness = { pass: 1, warn: 0.5, fail: 0 } as const;

function healthSamples(health: Readonly<Record<string, Health>>): readonly Sample[] {
  return Object.entries(health).map(([part, { status }]) => {
    return { name: 'patchbay.part.health', value: wellness[status], attributes: { part } };
  });
}

function loadSamples(executor: Executor | undefined): readonly Sample[] {
  return Object.entries(executor?.load?.() ?? {}).map(([state, value]) => {
    return { name: 'patchbay.executor.runs', value: Number(value), attributes: { state } };
  });
}
