import { type ErrorCode, errorCodes, eventKinds, messageSchema } from '@patchbay/core';
import type { Operation, ProtectedOperation } from '../operation.ts';
import { problemMediaType } from '../output/problem.ts';
import { apiVersion } from '../output/wire.ts';
import { isProtected, type Route, scopesOf } from '../routing.ts';
import { componentSchemas } from '../schemas/components.ts';
import type { SchemaObject } from '../schemas/schema-object.ts';
import { bytesText } from './bounds-text.ts';
import recordedExamples from './operation-examples.generated.json' with { type: 'json' };

/** The parts of an OpenAPI 3.1 document that the reference page reads; the rest is plain JSON. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  /** Present where something in front cuts off the front of every path. */
  readonly servers?: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  /** The requests that the service sends. */
  readonly webhooks: Readonly<Record<string, object>>;
  readonly components: { readonly schemas: Readonly<Record<string, SchemaObject>>; readonly securitySchemes: object };
  readonly security: readonly object[];
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly OpenApiParameter[];
  readonly requestBody?: { readonly required: boolean; readonly description: string; readonly content: Content };
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
  readonly security?: readonly object[];
}

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description: string;
  readonly schema: SchemaObject;
}

export interface OpenApiResponse {
  readonly description: string;
  readonly headers?: object;
  readonly content?: Content;
}

type Content = Readonly<Record<string, MediaType>>;

interface MediaType {
  readonly schema?: SchemaObject;
  readonly examples?: Readonly<Record<string, { readonly value: unknown; readonly description?: string }>>;
}

/** What a test of the contract of the API has sent to an operation and received. */
export interface OperationExample {
  /** The JSON body of the request. */
  readonly request?: object;
  readonly response: unknown;
  /** The text of the response to a request for server-sent events. */
  readonly stream?: string;
  /** Fields that the example leaves out. */
  readonly note?: string;
  /** Frequent refusals. */
  readonly problems?: readonly { readonly status: number; readonly code: string }[];
}

/** By operation. `vitest run packages/e2e/src/operations -u` records them again. */
export const operationExamples: Readonly<Record<string, OperationExample>> = recordedExamples;

const description =
  'Typed functions and every language model behind one API. Timestamps are UTC with milliseconds, ids are opaque, ' +
  'failures are problem documents (RFC 9457). Clients ignore members of answers that they do not know.';

const tags = [
  { name: 'functions', description: 'Stored functions, their versions and their executions.' },
  { name: 'gateway', description: 'Language models of every provider.' },
  { name: 'system', description: 'Health and documents of the service itself. Without credentials.' },
] as const;

/**
 * Describe endpoints as an OpenAPI 3.1 document. Everything in it is read off the table of operations.
 *
 * @param mountPath What is cut off the front of paths before they come here, such as `/api`.
 *
 * @example
 * ```ts
 * import type { App } from '@patchbay/core';
 * import { createApi, createOpenApiDocument } from '@patchbay/http';
 *
 * export const documentOf = (app: App) => createOpenApiDocument(createApi(app, { operations: ['chat'] }).routes);
 * ```
 */
export function createOpenApiDocument(routes: readonly Route[], mountPath = ''): OpenApiDocument {
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const { operation, path } of routes) {
    const template = path.replaceAll(/[:*](\w+)/g, '{$1}');
    paths[template] = { ...paths[template], [operation.method.toLowerCase()]: describeOperation(operation) };
  }
  const used = new Set(routes.map(({ operation }) => operation.area));
  return {
    openapi: '3.1.0',
    info: { title: 'Patchbay', version: apiVersion, description },
    ...(mountPath !== '' && { servers: [{ url: mountPath }] }),
    tags: tags.filter(({ name }) => used.has(name)),
    paths,
    webhooks: webhooksSection(),
    components: {
      schemas: componentSchemas,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'An API key (`pbk_…`) or an OAuth access token.' },
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: 'The same, for clients that send it so.',
        },
      },
    },
    security: [{ token: [] }, { apiKey: [] }],
  };
}

function describeOperation(operation: Operation): OpenApiOperation {
  const { id, summary, area } = operation;
  const base = { operationId: id, summary, tags: [area] };
  if (!isProtected(operation)) {
    const text = operation.description === undefined ? {} : { description: operation.description };
    return { ...base, ...text, security: [], responses: responsesOf(operation) };
  }
  const scopes = scopesOf(operation).map((scope) => `\`${scope}\``);
  const plural = scopes.length > 1 ? 's' : '';
  const needs = scopes.length === 0 ? 'Needs no scope.' : `Needs the scope${plural} ${scopes.join(' and ')}.`;
  const text = [operation.description, needs].filter(Boolean).join(' ');
  return {
    ...base,
    description: text,
    parameters: parametersOf(operation),
    ...(operation.body && { requestBody: requestBodyOf(operation.body, operationExamples[id]?.request) }),
    responses: responsesOf(operation),
  };
}

const idempotencyKey: OpenApiParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Any text of your choice that stands for this very request. It is run once; sent again within 24 hours, it gets the ' +
    'answer of the first time.',
  schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
};

function parametersOf({
  method,
  params = {},
  query = {},
  preconditions = [],
  headers: named = {},
}: ProtectedOperation): OpenApiParameter[] {
  return [
    ...(method === 'POST' ? [idempotencyKey] : []),
    ...Object.entries(params).map(([name, parameter]) => {
      const schema = { type: 'string', ...(parameter.pattern && { pattern: parameter.pattern.source }) };
      return { name, in: 'path' as const, required: true, description: parameter.description, schema };
    }),
    ...Object.entries(query).map(([name, { description: text, ...schema }]) => {
      return { name, in: 'query' as const, description: text, schema };
    }),
    ...preconditions.map((name) => {
      const effect = name === 'If-Match' ? 'changes something only if' : 'answers 304 and no body if';
      const text = `Entity tags, or \`*\`: the request ${effect} the ETag of the resource is one of them.`;
      return { name, in: 'header' as const, description: text, schema: { type: 'string' } };
    }),
    ...Object.entries(named).map(([name, text]) => {
      return { name, in: 'header' as const, description: text, schema: { type: 'string' } };
    }),
  ];
}

/** Examples are shown under one name each: there is one of every operation. */
function examplesOf(value: unknown, note?: string): Pick<MediaType, 'examples'> {
  return value === undefined ? {} : { examples: { example: { value, ...(note && { description: note }) } } };
}

function requestBodyOf(body: NonNullable<ProtectedOperation['body']>, example: object | undefined) {
  const schema = { $ref: `#/components/schemas/${body.schema}` };
  const ignored = body.ignored ? ` Has no effect: ${body.ignored.join(', ')}.` : '';
  const text = `At most ${bytesText(body.limitBytes)}.${ignored}`;
  return {
    required: body.optional !== true,
    description: text,
    content: { 'application/json': { schema, ...examplesOf(example) } },
  };
}

const commonHeaders = {
  'Request-Id': { description: 'Id of the request, as in problem documents and logs.', schema: { type: 'string' } },
  'Patchbay-Version': { description: 'Version of the API.', schema: { type: 'string' } },
};
const limitHeaders = {
  'RateLimit-Policy': {
    description: 'The limits on the caller: `q` units at once, and as many again within `w` seconds.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'What is left of each: `r` units; full again, or in a refusal enough, in `t` seconds.',
    schema: { type: 'string' },
  },
};
const retryAfter = {
  'Retry-After': { description: 'Seconds to wait before the same request is sent again.', schema: { type: 'integer' } },
};
const replayed = {
  'Idempotency-Replayed': {
    description: '`true` where the answer is that to an earlier request with the same Idempotency-Key.',
    schema: { type: 'string' },
  },
};
const successHeaders = {
  ETag: { description: 'For `If-Match` and `If-None-Match`.', schema: { type: 'string' } },
  Location: { description: 'Path of what was made.', schema: { type: 'string' } },
  'Preference-Applied': { description: 'Which preference was followed.', schema: { type: 'string' } },
  'Patchbay-Route': { description: 'How the model was chosen, and which failed before.', schema: { type: 'string' } },
};

function responsesOf(operation: Operation): Record<string, OpenApiResponse> {
  const { success } = operation;
  const keyed = operation.method === 'POST' ? replayed : {};
  const headers = isProtected(operation) ? { ...commonHeaders, ...limitHeaders, ...keyed } : commonHeaders;
  const own = (success.headers ?? []).map((name) => [name, successHeaders[name]]);
  const { response, stream, note, problems = [] } = operationExamples[operation.id] ?? {};
  const shown = examplesOf(response, note);
  const events = { type: 'string', description: `Server-sent events: ${success.streams}` };
  const content = success.schema
    ? {
        'application/json': { schema: { $ref: `#/components/schemas/${success.schema}` }, ...shown },
        ...(success.streams && { 'text/event-stream': { schema: events, ...examplesOf(stream) } }),
      }
    : { [success.mediaType ?? 'application/json']: shown };
  const responses: Record<string, OpenApiResponse> = {
    [success.status]: {
      description: success.description,
      headers: { ...headers, ...Object.fromEntries(own) },
      content,
    },
  };
  if (isProtected(operation) && operation.preconditions?.includes('If-None-Match')) {
    responses['304'] = {
      description: 'The caller has it already.',
      headers: { ...headers, ETag: successHeaders.ETag },
    };
  }
  for (const [status, text] of Object.entries(success.otherwise ?? {})) {
    responses[status] = { description: text, headers, ...(status !== '204' && { content }) };
  }
  const schema = { $ref: '#/components/schemas/Problem' };
  for (const [status, codes] of errorsByStatus(operation)) {
    const text = codes.map((code) => `\`${code}\`: ${errorCodes[code].title}.`).join('\n');
    const extra = status === 429 || status === 503 ? retryAfter : {};
    const refusals = problems.filter((problem) => problem.status === status);
    const examples = Object.fromEntries(refusals.map((problem) => [problem.code, { value: problem }]));
    const problem = { [problemMediaType]: { schema, ...(refusals.length > 0 && { examples }) } };
    responses[status] ??= { description: text, headers: { ...headers, ...extra }, content: problem };
  }
  return responses;
}

const everywhere = ['invalid_request', 'uri_too_long', 'internal_error'] as const;

const withCredentials = [
  'unauthenticated',
  'invalid_token',
  'token_expired',
  'key_revoked',
  'insufficient_scope',
  'address_not_allowed',
  'rate_limited',
  'storage_unavailable',
  'authentication_unavailable',
  'shutting_down',
] as const;

const withKey = ['idempotency_in_progress', 'idempotency_key_reused', 'idempotency_answer_lost'] as const;

const withBody = [
  'invalid_json',
  'too_deep',
  'unsupported_unicode',
  'unsupported_media_type',
  'body_too_large',
  'request_timeout',
] as const;

/** The codes that an operation can answer with, by status, in ascending order. */
export function errorsByStatus(operation: Operation): ReadonlyMap<number, readonly ErrorCode[]> {
  const codes = new Set<ErrorCode>(everywhere);
  if (isProtected(operation)) {
    for (const code of withCredentials) codes.add(code);
    if (operation.method !== 'GET') codes.add('cross_site_request');
    if (operation.method === 'POST') for (const code of withKey) codes.add(code);
    if (operation.limit) codes.add('concurrency_limited');
    if (operation.body) for (const code of withBody) codes.add(code);
    for (const code of operation.errors) codes.add(code);
  }
  const byStatus = Map.groupBy(codes, (code) => errorCodes[code].status);
  return new Map([...byStatus].toSorted(([left], [right]) => left - right));
}

const header = (name: string, description: string) => {
  return { name, in: 'header', required: true, description, schema: { type: 'string' } } as const;
};

const headers = [
  header('webhook-id', 'Id of the event: the same for every attempt.'),
  header('webhook-timestamp', 'Time of the attempt, in seconds since 1970.'),
  header('webhook-signature', 'One or more signatures, `v1,` and base64 (Standard Webhooks).'),
];

const answers = {
  '2XX': { description: 'Taken. Anything else is tried again.' },
  '410': { description: 'The webhook is disabled.' },
};

/** The requests that this service sends, for the `webhooks` of its OpenAPI document: one for each kind of event. */
function webhooksSection(): Readonly<Record<string, object>> {
  return Object.fromEntries(
    (Object.keys(eventKinds) as (keyof typeof eventKinds)[]).map((kind) => {
      const { summary, example } = eventKinds[kind];
      const message = { type: kind, timestamp: '2026-01-31T12:00:00.000Z', data: example };
      const content = {
        'application/json': { schema: messageSchema(kind), examples: { message: { value: message } } },
      };
      const requestBody = { required: true, content };
      return [kind, { post: { summary, parameters: headers, requestBody, responses: answers, security: [] } }];
    }),
  );
}
