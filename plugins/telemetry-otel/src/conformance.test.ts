import { telemetryConformance } from '@patchbay/testing';
import { describe, it } from 'vitest';
import { type OtelOptions, OtelTelemetry } from './otel-telemetry.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} };

// No server listens there.
const away: OtelOptions = {
  url: 'http://127.0.0.1:1',
  headers: {},
  serviceName: 'test',
  traces: true,
  metrics: true,
  propagate: [],
  sampleRatio: 1,
  metricsIntervalMs: 60_000,
  timeoutMs: 100,
};

describe.each([
  ['everything', away],
  ['traces alone', { ...away, metrics: false }],
  ['metrics alone', { ...away, traces: false }],
])('OpenTelemetry with %s, and no collector', (_, options) => {
  telemetryConformance({ describe, it }, { create: () => new OtelTelemetry(options, logger) });
});
