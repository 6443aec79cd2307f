import type { MetricDefinition } from '../contracts/telemetry.ts';

/** Seconds: from a request without work to a long answer of a model. */
export const durationBuckets: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120,
];

const tokenBuckets = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576];

const model = ['gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.request.model'] as const;

const modelOnly = ['gen_ai.provider.name', 'gen_ai.request.model'] as const;

const gauge = (unit: string, description: string, ...labels: string[]): MetricDefinition => {
  return { kind: 'gauge', unit, description, labels };
};

/** Every metric of Patchbay by its name: that of the OpenTelemetry semantic conventions, where they have one. */
export const metricDefinitions = {
  'http.server.request.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Requests, from the head to the last byte of the response.',
    labels: ['http.request.method', 'http.route', 'http.response.status_code'],
  },
  'http.server.active_requests': gauge('{request}', 'Requests in progress, including streams.'),
  'patchbay.execution.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Executions of functions, by outcome and runner: code or model.',
    labels: ['outcome', 'runner'],
  },
  'patchbay.execution.failures': {
    kind: 'counter',
    unit: '{run}',
    description: 'Executions that did not complete, by error code.',
    labels: ['code', 'runner'],
  },
  'gen_ai.client.operation.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Model calls. error.type is empty if the call succeeded.',
    labels: [...model, 'error.type'],
  },
  'gen_ai.client.operation.time_to_first_chunk': {
    kind: 'histogram',
    unit: 's',
    description: 'Streamed model calls, until the first chunk of the completion.',
    labels: model,
  },
  'gen_ai.client.token.usage': {
    kind: 'histogram',
    unit: '{token}',
    description: 'Tokens of model calls. input includes tokens read from a cache.',
    labels: [...model, 'gen_ai.token.type'],
    buckets: tokenBuckets,
  },
  'patchbay.model.tokens': {
    kind: 'counter',
    unit: '{token}',
    description: 'Tokens by price category: input, cache_read, cache_write, output.',
    labels: ['gen_ai.provider.name', 'gen_ai.request.model', 'gen_ai.token.type'],
  },
  'patchbay.model.cost': {
    kind: 'counter',
    unit: 'USD',
    description: 'Cost of model calls with a known price.',
    labels: ['gen_ai.provider.name', 'gen_ai.request.model'],
  },
  'patchbay.model.active': gauge('{call}', 'Model calls in progress.', ...modelOnly),
  'patchbay.model.circuit.open': gauge(
    '{state}',
    '0: closed; 0.5: half-open, one probe at a time; 1: open, because the model failed or asked for fewer requests.',
    ...modelOnly,
  ),
  'patchbay.gateway.answers': {
    kind: 'counter',
    unit: '{answer}',
    description:
      'Requests by the model that responded, by who chose it (caller, router, order of the config), and whether it was a fallback.',
    labels: [...modelOnly, 'chosen_by', 'fallback'],
  },
  'patchbay.gateway.fallbacks': {
    kind: 'counter',
    unit: '{call}',
    description: 'Failed calls after which a fallback responded, unnoticed by the caller.',
    labels: [...modelOnly, 'error.type'],
  },
  'patchbay.gateway.unanswered': {
    kind: 'counter',
    unit: '{request}',
    description: 'Requests that every model failed, by error code.',
    labels: ['error.type'],
  },
  'patchbay.answer_cache.lookups': {
    kind: 'counter',
    unit: '{lookup}',
    description: 'Lookups in the output cache, by result: hit or miss.',
    labels: ['result'],
  },
  'patchbay.limit.refusals': {
    kind: 'counter',
    unit: '{refusal}',
    description: 'Requests rejected by a limit, by error code and violated policy.',
    labels: ['code', 'policy'],
  },
  'patchbay.webhook.delivery.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Webhook delivery attempts, by outcome.',
    labels: ['outcome'],
  },
  'patchbay.storage.rejected': {
    kind: 'counter',
    unit: '{row}',
    description: 'Usage records and webhook events dropped because the storage rejects them. The log has each.',
    labels: ['collection'],
  },
  'patchbay.limit.unshared': {
    kind: 'counter',
    unit: '{check}',
    description: 'Limit checks that this process made on its own because the limiter did not respond.',
    labels: [],
  },
  'patchbay.webhook.deliveries': gauge('{delivery}', 'Pending deliveries: due now, or waiting for a retry.'),
  'patchbay.webhook.oldest': gauge('s', 'Age of the oldest due delivery.'),
  'patchbay.webhook.receivers': gauge(
    '{webhook}',
    'Webhooks with an unhealthy receiver: failing, or paused because it asked for fewer requests.',
    'state',
  ),
  'patchbay.webhook.failing': gauge('s', 'Time since the longest-failing receiver last succeeded.'),
  'patchbay.storage.operation.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Storage operations: commit, get, list, scan. error.type is empty if the operation succeeded.',
    labels: ['operation', 'error.type'],
  },
  'patchbay.executor.info': gauge(
    '{info}',
    'Always 1. Executor plugin, isolation and jail.',
    'plugin',
    'isolation',
    'jail',
  ),
  'patchbay.executor.runs': gauge('{run}', 'Executor slots and queue: running, waiting, spare.', 'state'),
  'patchbay.queue.jobs': gauge('{job}', 'Due jobs that no process has claimed; 1,000 means that or more.', 'topic'),
  'patchbay.queue.oldest': gauge('s', 'Age of the oldest due job.', 'topic'),
  'patchbay.queue.dead': gauge('{job}', 'Dead jobs; 1,000 means that or more.', 'topic'),
  'patchbay.config.reloads': {
    kind: 'counter',
    unit: '{reload}',
    description: 'Config reloads, by result: done or refused.',
    labels: ['result'],
  },
  'patchbay.config.loaded.timestamp': gauge('s', 'Time at which the active config was loaded, in seconds since 1970.'),
  'patchbay.config.refused': gauge('{state}', '1: the last reload was rejected; the previous config is active.'),
  'patchbay.build.info': gauge('{info}', 'Always 1. Version of Patchbay and of Node.', 'version', 'node'),
  'patchbay.part.health': gauge('{state}', '1: healthy; 0.5: degraded; 0: failing.', 'part'),
  'nodejs.eventloop.delay.p50': gauge('s', 'Median event loop delay since the last scrape.'),
  'nodejs.eventloop.delay.p99': gauge('s', '99th percentile of the event loop delay since the last scrape.'),
  'nodejs.eventloop.delay.max': gauge('s', 'Maximum event loop delay since the last scrape.'),
  'process.cpu.time': {
    kind: 'counter',
    unit: 's',
    description: 'CPU time of this process, without functions.',
    labels: ['cpu.mode'],
  },
  'process.memory.usage': gauge('By', 'Memory of this process, without functions.'),
  'process.unix.file_descriptor.count': gauge(
    '{file_descriptor}',
    'Open files and sockets. Absent if the platform does not report it.',
  ),
  'v8js.memory.heap.used': gauge('By', 'Heap in use.'),
  'v8js.memory.heap.limit': gauge('By', 'Heap limit; the process crashes beyond it.'),
  'process.uptime': gauge('s', 'Time since the process started.'),
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export type MetricName = keyof typeof metricDefinitions;
