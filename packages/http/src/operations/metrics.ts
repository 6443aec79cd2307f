import { defineOperation } from '../operation.ts';

const readMetrics = defineOperation({
  id: 'readMetrics',
  method: 'GET',
  path: '/metrics',
  area: 'system',
  scope: 'metrics:read',
  summary: 'Read the metrics of this process',
  description:
    'Requests, executions, calls of models, limits, the queue, webhooks, and the process itself, of all tenants together, ' +
    'in the text format of Prometheus. For the operator: the scope `*` does not include `metrics:read`.',
  success: { status: 200, description: 'The metrics.', mediaType: 'text/plain; version=0.0.4; charset=utf-8' },
  errors: [],
  handle: async (_request, app) => ({
    text: await app.host.metrics(),
    mediaType: 'text/plain; version=0.0.4; charset=utf-8',
  }),
});

export const metricsOperations = [readMetrics];
