import type { HrTime } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { MetricData, MetricProducer } from '@opentelemetry/sdk-metrics';
import type { MetricSource } from '@patchbay/core/plugin';
import { attributesOf } from './attributes-of.ts';

type Sdk = typeof import('@opentelemetry/sdk-metrics');
type Api = typeof import('@opentelemetry/api');

/** Values of a moment, asked for at each export. Those of kind counter are sums since the start of the process. */
export function momentProducer(
  source: () => MetricSource | undefined,
  resource: Resource,
  { AggregationTemporality, DataPointType }: Sdk,
  { ValueType }: Api,
): MetricProducer {
  const startTime = timeOf(performance.timeOrigin);
  return {
    async collect() {
      const given = source();
      const endTime = timeOf(Date.now());
      const metrics = new Map<string, MetricData>();
      for (const { name, value, attributes = {} } of (await given?.samples()) ?? []) {
        const definition = given?.definitions[name];
        if (definition === undefined) continue;
        const { description, unit, kind, labels } = definition;
        const common = {
          descriptor: { name, description, unit, valueType: ValueType.DOUBLE },
          aggregationTemporality: AggregationTemporality.CUMULATIVE,
        };
        const point = { startTime, endTime, attributes: attributesOf(attributes, labels), value };
        const known = metrics.get(name);
        if (known?.dataPointType === DataPointType.SUM || known?.dataPointType === DataPointType.GAUGE) {
          known.dataPoints.push(point);
        } else if (kind === 'counter') {
          metrics.set(name, { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: [point] });
        } else {
          metrics.set(name, { ...common, dataPointType: DataPointType.GAUGE, dataPoints: [point] });
        }
      }
      const scope = { name: '@patchbay/telemetry-otel' };
      return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics: [...metrics.values()] }] }, errors: [] };
    },
  };
}

function timeOf(epochMs: number): HrTime {
  return [Math.floor(epochMs / 1_000), Math.round((epochMs % 1_000) * 1e6)];
}
