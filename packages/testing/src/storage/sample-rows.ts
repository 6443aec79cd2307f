import { type Collection, collections, type FieldType, type Rows, type Write } from '@patchbay/core/storage';

/** Every collection, for tests that run on each. */
export const collectionNames = Object.keys(collections) as readonly Collection[];

/** The type of each field of a collection. */
export function fieldTypes(collection: Collection): Readonly<Record<string, FieldType>> {
  return collections[collection].fields;
}

const samples: { readonly [C in Collection]: (id: string) => Rows[C] } = {
  functions: (id) => ({
    id,
    revision: 1,
    name: 'Summarize Text',
    key: 'summarizeText',
    description: 'Makes it short.',
    input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    output: { type: 'object', properties: { summary: { type: 'string' } } },
    code: 'export default ({ text }) => ({ summary: text.slice(0, 10) });',
    artifact: 'prepared',
    contentHash: 'c0ffee',
    createdAt: '2026-01-02T03:04:05.678Z',
    updatedAt: '2026-01-02T03:04:05.678Z',
  }),
  functionVersions: (id) => ({
    id,
    revision: 1,
    functionId: 'function_1',
    version: 1,
    name: 'Summarize Text',
    description: 'Makes it short.',
    input: { type: 'object' },
    output: { type: 'object' },
    code: 'export default () => ({});',
    contentHash: 'c0ffee',
    createdAt: '2026-01-02T03:04:05.678Z',
    createdBy: 'key_1',
  }),
  functionSettings: (id) => ({
    id,
    revision: 1,
    functionId: 'function_1',
    latest: 3,
    labels: { production: 2, staging: 3 },
    updatedAt: '2026-01-02T03:04:05.678Z',
    updatedBy: 'key_1',
  }),
  settingsVersions: (id) => ({
    id,
    revision: 1,
    functionId: 'function_1',
    version: 1,
    values: { model: 'openai/gpt-5', temperature: 0.2, system: 'Be short.' },
    createdAt: '2026-01-02T03:04:05.678Z',
    createdBy: 'key_1',
  }),
  executions: (id) => ({
    id,
    revision: 1,
    functionId: 'function_1',
    functionVersion: 1,
    status: 'completed',
    input: { text: 'a long text' },
    effectiveInput: null,
    output: { summary: 'a text' },
    error: null,
    logs: [{ level: 'info', text: 'done' }],
    logsTruncated: false,
    usage: { cpuMs: 3 },
    durationMs: 12,
    createdAt: '2026-01-02T03:04:05.678Z',
    completedAt: '2026-01-02T03:04:05.690Z',
    createdBy: 'key_1',
    owner: 'instance_1',
    attempt: 1,
    principal: { id: 'key_1', kind: 'api-key', scopes: ['functions:execute'] },
    parentId: 'execution_0',
    calls: [{ function: 'summarize', executionId: 'execution_2', durationMs: 3 }],
  }),
  apiKeys: (id) => ({
    id,
    revision: 1,
    lookupId: `lookup_${id}`,
    name: 'Continuous integration',
    secretHash: 'abcdef',
    scopes: ['functions:read', 'functions:execute'],
    createdAt: '2026-01-02T03:04:05.678Z',
    createdBy: 'key_1',
    expiresAt: '2027-01-02T03:04:05.678Z',
    revokedAt: null,
    ipAddresses: ['10.0.0.0/8', '2001:db8::1'],
    functions: ['function_1'],
    rateLimit: { requests: 10, seconds: 1, burst: 100 },
    budget: null,
    lastUsedAt: '2026-01-03T03:04:05.678Z',
    rotatedAt: null,
    previousHash: null,
    previousUntil: null,
  }),
  auditEntries: (id) => ({
    id,
    revision: 1,
    sequence: 7,
    action: 'function.updated',
    resourceType: 'function',
    resourceId: 'function_1',
    actorId: 'key_1',
    actorKind: 'api-key',
    requestId: 'request_1',
    address: null,
    createdAt: '2026-01-02T03:04:05.678Z',
    details: { version: 2 },
    previousHash: 'abc',
    hash: 'def',
  }),
  auditHeads: (id) => ({ id, revision: 1, sequence: 7, hash: 'def' }),
  jobs: (id) => ({
    id,
    revision: 1,
    topic: 'executions',
    state: 'waiting',
    dueAt: '2026-01-02T03:04:05.678Z',
    attempt: 0,
    dedupeKey: null,
    createdAt: '2026-01-02T03:04:05.678Z',
    payload: { id: 'execution_1' },
    error: null,
  }),
  instances: (id) => ({
    id,
    revision: 1,
    process: 'linux 1',
    startedAt: '2026-01-02T03:04:05.678Z',
    expiresAt: '2026-01-02T03:04:20.678Z',
  }),
  idempotencyKeys: (id) => ({
    id,
    revision: 1,
    requestHash: 'c0ffee',
    status: 'answered',
    owner: 'instance_1',
    answer: { sealed: 'c2VhbGVk' },
    createdAt: '2026-01-02T03:04:05.678Z',
    expiresAt: '2026-01-03T03:04:05.678Z',
  }),
  usageEntries: (id) => ({
    id,
    revision: 1,
    kind: 'model',
    keyId: 'key_1',
    functionId: '',
    model: 'acme/large',
    outcome: 'completed',
    uncachedInputTokens: 10,
    cacheReadTokens: 5,
    cacheWriteTokens: 0,
    outputTokens: 7,
    reasoningTokens: 2,
    durationMs: 120,
    requestId: 'request_1',
    costNanoUsd: 12_500,
    estimated: false,
    createdAt: '2026-01-02T03:04:05.678Z',
  }),
  usageHours: (id) => ({
    id,
    revision: 1,
    hour: '2026-01-02T03:00:00.000Z',
    kind: 'model',
    keyId: 'key_1',
    functionId: '',
    model: 'acme/large',
    outcome: 'completed',
    uncachedInputTokens: 10,
    cacheReadTokens: 5,
    cacheWriteTokens: 0,
    outputTokens: 7,
    reasoningTokens: 2,
    durationMs: 120,
    calls: 1,
    costNanoUsd: 12_500,
    unpricedCalls: 0,
  }),
  observedNames: (id) => ({
    id,
    revision: 1,
    name: 'translate',
    count: 7,
    refused: 2,
    firstSeenAt: '2026-01-02T03:04:05.678Z',
    lastSeenAt: '2026-01-03T03:04:05.678Z',
    input: { text: { types: ['string'], count: 7 }, tone: { types: ['null', 'string'], count: 3 } },
    output: { type: 'object', properties: { translation: { type: 'string' } } },
  }),
  webhooks: (id) => ({
    id,
    revision: 1,
    slot: `slot_${id}`,
    url: 'https://example.com/hooks',
    events: ['function.created', 'execution.failed'],
    description: 'Deployments',
    enabled: false,
    disabledReason: 'gone',
    disabledAt: '2026-01-03T03:04:05.678Z',
    secret: 'sealed1.0000000000000000.c2VhbGVk',
    previousSecret: null,
    previousUntil: null,
    createdAt: '2026-01-02T03:04:05.678Z',
    createdBy: 'key_1',
    updatedAt: '2026-01-03T03:04:05.678Z',
  }),
  webhookEvents: (id) => ({
    id,
    revision: 1,
    type: 'function.created',
    createdAt: '2026-01-02T03:04:05.678Z',
    data: { id: 'function_1', name: 'Summarize Text', version: 1 },
    webhookId: null,
  }),
  webhookDeliveries: (id) => ({
    id,
    revision: 1,
    webhookId: 'webhook_1',
    eventId: 'event_1',
    eventType: 'function.created',
    state: 'waiting',
    lane: 'webhook_1',
    dueAt: '2026-01-02T03:04:10.678Z',
    attempts: 1,
    failures: 1,
    createdAt: '2026-01-02T03:04:05.678Z',
    completedAt: null,
    log: [{ at: '2026-01-02T03:04:05.678Z', status: 500, durationMs: 12, failure: 'status', response: 'oops' }],
  }),
  webhookLanes: (id) => ({
    id,
    revision: 1,
    run: null,
    heldUntil: null,
    alarm: 'alarm_1',
    alarmAt: '2026-01-02T03:04:10.678Z',
    wokenAt: '2026-01-02T03:04:05.678Z',
    failingSince: '2026-01-02T03:04:05.678Z',
    throttles: 0,
    pausedUntil: null,
  }),
};

/** A field that lists of a collection can be sorted by. */
export function firstSort(collection: Collection): never {
  return collections[collection].sort[0] as never;
}

/** A plausible row, with some of its fields given. */
export function sampleRow<C extends Collection>(collection: C, id: string, fields: Partial<Rows[C]> = {}): Rows[C] {
  return { ...samples[collection](id), ...fields };
}

/** The write that inserts a plausible row. */
export function insertion<C extends Collection>(collection: C, id: string, fields: Partial<Rows[C]> = {}): Write {
  return { insert: collection, row: sampleRow(collection, id, fields) } as Write;
}

/** Names with as many digits as there may be, so that their order is that of the numbers. */
export function numbered(prefix: string, number: number): string {
  return `${prefix}_${String(number).padStart(6, '0')}`;
}

/** A time that many milliseconds after the first. */
export function timeAt(milliseconds: number): string {
  return new Date(Date.UTC(2026, 0, 1) + milliseconds).toISOString();
}
