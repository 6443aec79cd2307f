import { definePlugin, services } from '@patchbay/core/plugin';
import { OtelTelemetry } from './otel-telemetry.ts';

/** Traces and metrics to an OpenTelemetry collector, by OTLP over HTTP. */
export default definePlugin({
  name: '@patchbay/telemetry-otel',
  kind: 'telemetry',
  version: 1,
  config: {
    properties: {
      url: {
        type: 'string',
        default: 'http://127.0.0.1:4318',
        pattern: '^https?://',
        description: 'The collector; /v1/traces and /v1/metrics are appended.',
      },
      headers: {
        type: 'object',
        default: {},
        writeOnly: true,
        additionalProperties: { type: 'string' },
        description: 'Sent with every export, such as a key.',
      },
      serviceName: {
        type: 'string',
        minLength: 1,
        default: 'patchbay',
        description: 'The service.name of everything.',
      },
      traces: { type: 'boolean', description: 'Whether traces are sent.', default: true },
      metrics: { type: 'boolean', description: 'Whether metrics are sent.', default: true },
      propagate: {
        type: 'array',
        items: { type: 'string', enum: ['models', 'webhooks'] },
        default: [],
        description: 'Whom to send `traceparent` and `tracestate`: providers of models, receivers of webhooks.',
      },
      sampleRatio: {
        type: 'number',
        minimum: 0,
        maximum: 1,
        default: 1,
        description: 'Part of the traces that begin here; those of callers are sampled as the caller says.',
      },
      metricsIntervalMs: {
        type: 'integer',
        minimum: 1_000,
        default: 60_000,
        description: 'Milliseconds between two exports.',
      },
      timeoutMs: {
        type: 'integer',
        minimum: 100,
        maximum: 8_000,
        default: 5_000,
        description: 'Milliseconds for one export, and for the last one of all when the server stops.',
      },
    },
  },
  deps: { logger: services.logger },
  create: ({ config, deps }) => new OtelTelemetry(config, deps.logger),
});
