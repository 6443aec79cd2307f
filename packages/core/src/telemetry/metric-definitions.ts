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
    description: 'Requests, from the head to the last byte of the answer.',
    labels: ['http.request.method', 'http.route', 'http.response.status_code'],
  },
  'http.server.active_requests': gauge('{request}', 'Requests under way, streams among them.'),
  'patchbay.execution.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Runs of functions, by how they ended and by what did the work: code or model.',
    labels: ['outcome', 'runner'],
  },
  'patchbay.execution.failures': {
    kind: 'counter',
    unit: '{run}',
    description: 'Runs that did not complete, by the code of their error.',
    labels: ['code', 'runner'],
  },
  'gen_ai.client.operation.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Calls of models. error.type is empty where they succeeded.',
    labels: [...model, 'error.type'],
  },
  'gen_ai.client.operation.time_to_first_chunk': {
    kind: 'histogram',
    unit: 's',
    description: 'Streamed calls of models, until the first piece of the answer.',
    labels: model,
  },
  'gen_ai.client.token.usage': {
    kind: 'histogram',
    unit: '{token}',
    description: 'Tokens of calls of models. input counts those read from a cache as well.',
    labels: [...model, 'gen_ai.token.type'],
    buckets: tokenBuckets,
  },
  'patchbay.model.tokens': {
    kind: 'counter',
    unit: '{token}',
    description: 'Tokens by how they are charged: input, cache_read, cache_write, output.',
    labels: ['gen_ai.provider.name', 'gen_ai.request.model', 'gen_ai.token.type'],
  },
  'patchbay.model.cost': {
    kind: 'counter',
    unit: 'USD',
    description: 'What calls of models cost, where a price is known.',
    labels: ['gen_ai.provider.name', 'gen_ai.request.model'],
  },
  'patchbay.model.active': gauge('{call}', 'Calls under way.', ...modelOnly),
  'patchbay.model.circuit.open': gauge(
    '{state}',
    '0: asked; 0.5: tried again, one call at a time; 1: left alone, because it failed or asked for it.',
    ...modelOnly,
  ),
  'patchbay.gateway.answers': {
    kind: 'counter',
    unit: '{answer}',
    description:
      'Requests by the model that answered, by who chose it (caller, router, order of the config), and whether another had failed before.',
    labels: [...modelOnly, 'chosen_by', 'fallback'],
  },
  'patchbay.gateway.fallbacks': {
    kind: 'counter',
    unit: '{call}',
    description: 'Calls that failed and after which another model answered: what callers did not notice.',
    labels: [...modelOnly, 'error.type'],
  },
  'patchbay.gateway.unanswered': {
    kind: 'counter',
    unit: '{request}',
    description: 'Requests that no model answered, by error code.',
    labels: ['error.type'],
  },
  'patchbay.answer_cache.lookups': {
    kind: 'counter',
    unit: '{lookup}',
    description: 'Tasks whose settings have answers kept, by result: hit or miss.',
    labels: ['result'],
  },
  'patchbay.limit.refusals': {
    kind: 'counter',
    unit: '{refusal}',
    description: 'What was refused because of a limit, by error code and by the policy that was violated.',
    labels: ['code', 'policy'],
  },
  'patchbay.webhook.delivery.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Attempts to deliver an event to a webhook, by outcome.',
    labels: ['outcome'],
  },
  'patchbay.storage.rejected': {
    kind: 'counter',
    unit: '{row}',
    description:
      'Usage and events for webhooks that were left out, because the storage rejects them. The log has each.',
    labels: ['collection'],
  },
  'patchbay.limit.unshared': {
    kind: 'counter',
    unit: '{check}',
    description: 'Checks of limits that this process made on its own, because the limiter did not answer.',
    labels: [],
  },
  'patchbay.webhook.deliveries': gauge('{delivery}', 'Deliveries that wait: due now, or for their next attempt.'),
  'patchbay.webhook.oldest': gauge('s', 'How long the delivery has been due that has been due longest.'),
  'patchbay.webhook.receivers': gauge(
    '{webhook}',
    'Webhooks whose receiver is not well: failing, or paused because it asked for fewer requests.',
    'state',
  ),
  'patchbay.webhook.failing': gauge('s', 'How long the receiver has failed that has failed longest.'),
  'patchbay.storage.operation.duration': {
    kind: 'histogram',
    unit: 's',
    description:
      'What the storage was asked, until it had done it: commit, get, list, scan. error.type is empty where it did.',
    labels: ['operation', 'error.type'],
  },
  'patchbay.executor.info': gauge(
    '{info}',
    'Always 1. What runs functions, and what stands around a run.',
    'plugin',
    'isolation',
    'jail',
  ),
  'patchbay.executor.runs': gauge('{run}', 'What the executor does: running, waiting, spare.', 'state'),
  'patchbay.queue.jobs': gauge('{job}', 'Jobs that are due and not taken; 1,000 stands for that or more.', 'topic'),
  'patchbay.queue.oldest': gauge('s', 'How long the oldest of them has been due.', 'topic'),
  'patchbay.queue.dead': gauge('{job}', 'Jobs that were given up; 1,000 stands for that or more.', 'topic'),
  'patchbay.config.reloads': {
    kind: 'counter',
    unit: '{reload}',
    description: 'Configs that were read again, by result: done or refused.',
    labels: ['result'],
  },
  'patchbay.config.loaded.timestamp': gauge('s', 'When the config in force was loaded, in seconds since 1970.'),
  'patchbay.config.refused': gauge(
    '{state}',
    '1: the config was read again last, and refused; the one before is in force.',
  ),
  'patchbay.build.info': gauge('{info}', 'Always 1. What runs here.', 'version', 'node'),
  'patchbay.part.health': gauge('{state}', '1: works; 0.5: works, but look at it; 0: does not work.', 'part'),
  'nodejs.eventloop.delay.p50': gauge('s', 'Delay of the event loop since the last time this was asked for.'),
  'nodejs.eventloop.delay.p99': gauge('s', 'The same, exceeded by one in a hundred.'),
  'nodejs.eventloop.delay.max': gauge('s', 'The same, the longest.'),
  'process.cpu.time': {
    kind: 'counter',
    unit: 's',
    description: 'CPU time of this process, without that of functions.',
    labels: ['cpu.mode'],
  },
  'process.memory.usage': gauge('By', 'Memory of this process, without that of functions.'),
  'process.unix.file_descriptor.count': gauge(
    '{file_descriptor}',
    'Open files and sockets. Absent where the platform does not tell.',
  ),
  'v8js.memory.heap.used': gauge('By', 'Heap that is in use.'),
  'v8js.memory.heap.limit': gauge('By', 'Heap that there may be; this process ends where it needs more.'),
  'process.uptime': gauge('s', 'Since the process was started.'),
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export type MetricName = keyof typeof metricDefinitions;
