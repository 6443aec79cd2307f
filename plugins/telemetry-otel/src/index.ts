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
        pattern: '^https?://[^\\s/?#]+([/?#]\\S*)?$',
        $comment: 'must be an http or https URL',
        description: 'URL of the collector; /v1/traces and /v1/metrics are appended.',
      },
      headers: {
        type: 'object',
        default: {},
        writeOnly: true,
        additionalProperties: { type: 'string' },
        description: 'Headers of every export, such as an API key.',
      },
      serviceName: {
        type: 'string',
        minLength: 1,
        default: 'patchbay',
        description: 'The service.name of all signals.',
      },
      traces: { type: 'boolean', description: 'Whether traces are sent.', default: true },
      metrics: { type: 'boolean', description: 'Whether metrics are sent.', default: true },
      propagate: {
        type: 'array',
        items: { type: 'string', enum: ['models', 'webhooks'] },
        default: [],
        description: 'Where to send `traceparent` and `tracestate`: model providers, webhook receivers.',
      },
      sampleRatio: {
        type: 'number',
        minimum: 0,
        maximum: 1,
        default: 1,
        description:
          'Share of the traces that start here; traces of callers follow the sampling decision of the caller.',
      },
      metricsIntervalMs: {
        type: 'integer',
        minimum: 1_000,
        default: 60_000,
        description: 'Export interval in milliseconds.',
      },
      timeoutMs: {
        type: 'integer',
        minimum: 100,
        maximum: 8_000,
        default: 5_000,
        description: 'Timeout of an export in milliseconds, and of the final export when the server stops.',
      },
    },
  },
  deps: { logger: services.logger },
  create: ({ config, deps }) => new OtelTelemetry(config, deps.logger),
});
