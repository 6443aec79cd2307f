/** What a metric is, and what it is told apart by. */
export interface MetricDefinition {
  readonly kind: 'counter' | 'histogram' | 'gauge';
  /** As in the OpenTelemetry conventions: `s`, `By`, or `{token}` for a count of something. */
  readonly unit: string;
  readonly description: string;
  /** Attributes that make a series of their own. None of them is an id or a text of a caller. */
  readonly labels: readonly string[];
  /** Upper bounds. Default: those of durations. */
  readonly buckets?: readonly number[];
}

/** Seconds: from a request without work to a long answer of a model. */
export const durationBuckets: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120,
];

const tokenBuckets = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576];

const model = ['gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.request.model'] as const;

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
  'patchbay.execution.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Runs of functions, by how they ended and by what did the work: code or model.',
    labels: ['outcome', 'runner'],
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
  'patchbay.executor.runs': gauge('{run}', 'What the executor does: running, waiting, spare.', 'state'),
  'patchbay.queue.jobs': gauge('{job}', 'Jobs that are due and not taken; 1,000 stands for that or more.', 'topic'),
  'patchbay.queue.oldest': gauge('s', 'How long the oldest of them has been due.', 'topic'),
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
  'v8js.memory.heap.used': gauge('By', 'Heap that is in use.'),
  'process.uptime': gauge('s', 'Since the process was started.'),
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export type MetricName = keyof typeof metricDefinitions;
