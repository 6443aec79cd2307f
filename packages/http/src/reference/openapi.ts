import { type ErrorCode, errorCodes, eventKinds, messageSchema, PatchbayError } from '@patchbay/core';
import { formatsOf } from '../exchange.ts';
import { jsonLinesType } from '../input/json-lines.ts';
import type { Operation, ProtectedOperation } from '../operation.ts';
import { problemMediaType } from '../output/problem.ts';
import { apiVersion } from '../output/wire.ts';
import { isProtected, type Route, scopesOf } from '../routing.ts';
import { componentSchemas, type SchemaObject } from '../schemas/components.ts';
import { bytesText } from './bounds-text.ts';
import template from './openapi-template.json' with { type: 'json' };
import recordedExamples from './operation-examples.generated.json' with { type: 'json' };

/** The parts of an OpenAPI 3.1 document that the reference page reads; the rest is plain JSON. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  /** Present if something in front strips a prefix from every path. */
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
  /** `path`, `query` or `header`. */
  readonly in: string;
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

/** A request of a contract test and its response. */
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
  /** The same, in the format of another API. */
  readonly refusals?: readonly { readonly status: number; readonly name: string; readonly body: object }[];
}

/** By operation. `vitest run packages/e2e/src/operations -u` records them again. */
export const operationExamples: Readonly<Record<string, OperationExample>> = recordedExamples;

/**
 * Describe endpoints as an OpenAPI 3.1 document, derived from the table of operations.
 *
 * @param mountPath Prefix that the host strips from paths, such as `/api`.
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
  const used = new Set<string>(routes.map(({ operation }) => operation.area));
  return {
    openapi: '3.1.0',
    info: { title: 'Patchbay', version: apiVersion, description: template.description },
    ...(mountPath !== '' && { servers: [{ url: mountPath }] }),
    tags: template.tags.filter(({ name }) => used.has(name)),
    paths,
    webhooks: webhooksSection(),
    components: { schemas: componentSchemas, securitySchemes: template.securitySchemes },
    security: template.security,
  };
}

function describeOperation(operation: Operation): OpenApiOperation {
  const { id, summary, area } = operation;
  const base = { operationId: id, summary, tags: [area] };
  if (!isProtected(operation)) {
    const text = operation.description === undefined ? {} : { description: operation.description };
    const parameters = pathParametersOf(operation);
    const path = parameters.length > 0 ? { parameters } : {};
    return { ...base, ...text, security: [], ...path, responses: responsesOf(operation) };
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

function parametersOf(operation: ProtectedOperation): OpenApiParameter[] {
  const { method, query = {}, preconditions = [], headers = {} } = operation;
  const header = (name: string, text: string): OpenApiParameter => {
    return { name, in: 'header', description: text, schema: { type: 'string' } };
  };
  return [
    ...(method === 'POST' ? [template.idempotencyKey] : []),
    ...pathParametersOf(operation),
    ...Object.entries(query).map(([name, { description, ...bounds }]) => {
      const schema = 'pattern' in bounds ? { ...bounds, ...patternOf(bounds.pattern) } : bounds;
      return { name, in: 'query', description, schema };
    }),
    ...preconditions.map((name) => {
      const effect = name === 'If-Match' ? 'changes something only if' : 'answers 304 and no body if';
      return header(name, `Entity tags, or \`*\`: the request ${effect} the ETag of the resource is one of them.`);
    }),
    ...Object.entries(headers).map(([name, text]) => header(name, text)),
  ];
}

function pathParametersOf({ params = {} }: Operation): OpenApiParameter[] {
  return Object.entries(params).map(([name, { description, pattern }]) => {
    const schema = { type: 'string', ...patternOf(pattern) };
    return { name, in: 'path', required: true, description, schema };
  });
}

const patternOf = (pattern: RegExp | undefined) => pattern && { pattern: pattern.source };

/** Each example is shown under one name: every operation has one. */
function examplesOf(value: unknown, note?: string): Pick<MediaType, 'examples'> {
  return value === undefined ? {} : { examples: { example: { value, ...(note && { description: note }) } } };
}

function requestBodyOf(body: NonNullable<ProtectedOperation['body']>, example: object | undefined) {
  const schema = { $ref: `#/components/schemas/${body.schema}` };
  const ignored = body.ignored ? ` Has no effect: ${body.ignored.join(', ')}.` : '';
  const { limitBytes, larger } = body;
  const more = larger ? `, or ${bytesText(larger.limitBytes)} with \`${larger.member.join('.')}\`` : '';
  const text = `At most ${bytesText(limitBytes)}${more}.${ignored}`;
  return {
    required: body.optional !== true,
    description: text,
    content: {
      'application/json': { schema, ...examplesOf(example) },
      ...(body.lines !== undefined && linesOf(`each of \`${body.lines}\` on a line`, example, body.lines)),
    },
  };
}

/** JSON Lines, with an example from the list that the JSON document has under this name. */
function linesOf(text: string, document: unknown, name: string): Content {
  const list: readonly unknown[] = Object(document)[name] ?? [];
  const example = list.map((each) => `${JSON.stringify(each)}\n`).join('');
  const schema = { type: 'string', description: `JSON Lines, ${text}.` };
  return { [jsonLinesType]: { schema, ...examplesOf(example) } };
}

function responsesOf(operation: Operation): Record<string, OpenApiResponse> {
  const { success } = operation;
  const { common, limits, replayed, retryAfter, success: successHeaders } = template.headers;
  const keyed = operation.method === 'POST' ? replayed : {};
  const ids = Object.fromEntries(formatsOf(operation).map((each) => [each.requestIdHeader, common['Request-Id']]));
  const headers = isProtected(operation) ? { ...ids, ...common, ...limits, ...keyed } : common;
  const own = (success.headers ?? []).map((name) => [name, successHeaders[name]]);
  const { response, stream, note, problems = [], refusals = [] } = operationExamples[operation.id] ?? {};
  const refused = [
    ...problems.map((problem) => ({ status: problem.status, name: problem.code, body: problem })),
    ...refusals,
  ];
  const shown = examplesOf(response, note);
  const events = { type: 'string', description: `Server-sent events: ${success.streams}` };
  const content = success.schema
    ? {
        'application/json': { schema: { $ref: `#/components/schemas/${success.schema}` }, ...shown },
        ...(success.lines && linesOf(`each a \`${success.lines}\``, response, 'data')),
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
  const formats = formatsOf(operation);
  const refs = formats.map(({ failureSchema }) => ({ $ref: `#/components/schemas/${failureSchema}` }));
  const schema = refs.length > 1 ? { anyOf: refs } : { ...refs[0] };
  const mediaType = formats.some(({ failureSchema }) => failureSchema === 'Problem')
    ? problemMediaType
    : 'application/json';
  for (const [status, codes] of errorsByStatus(operation)) {
    const text = codes.map((code) => `\`${code}\`: ${errorCodes[code].title}.`).join('\n');
    const extra = status === 429 || status === 503 ? retryAfter : {};
    const shownHere = refused.filter((refusal) => refusal.status === status);
    const examples = Object.fromEntries(shownHere.map(({ name, body }) => [name, { value: body }]));
    const problem = { [mediaType]: { schema, ...(shownHere.length > 0 && { examples }) } };
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
  'overloaded',
] as const;

/** The codes that an operation can respond with, by status, in ascending order. */
export function errorsByStatus(operation: Operation): ReadonlyMap<number, readonly ErrorCode[]> {
  const codes = new Set<ErrorCode>(everywhere);
  for (const { notFound } of Object.values(operation.params ?? {})) codes.add(notFound);
  if (isProtected(operation)) {
    for (const code of withCredentials) codes.add(code);
    if (operation.method !== 'GET') codes.add('cross_site_request');
    if (operation.method === 'POST') for (const code of withKey) codes.add(code);
    if (operation.limit) codes.add('concurrency_limited');
    if (operation.body) for (const code of withBody) codes.add(code);
    for (const code of operation.errors) codes.add(code);
  }
  const byStatus = new Map<number, readonly ErrorCode[]>();
  for (const code of codes) {
    const error = new PatchbayError(code, '');
    for (const { failure } of formatsOf(operation)) {
      const { status } = failure(error, '');
      byStatus.set(status, [...new Set([...(byStatus.get(status) ?? []), code])]);
    }
  }
  return new Map([...byStatus].toSorted(([left], [right]) => left - right));
}

/** The requests that this service sends, for the `webhooks` of its OpenAPI document: one for each kind of event. */
function webhooksSection(): Readonly<Record<string, object>> {
  return Object.fromEntries(
    (Object.keys(eventKinds) as (keyof typeof eventKinds)[]).map((kind) => {
      const { summary, example } = eventKinds[kind];
      const message = { type: kind, timestamp: '2026-01-31T12:00:00.000Z', data: example };
      const content = {
        'application/json': { schema: messageSchema(kind), examples: { message: { value: message } } },
      };
      const { parameters, responses } = template.webhook;
      const requestBody = { required: true, content };
      return [kind, { post: { summary, parameters, requestBody, responses, security: [] } }];
    }),
  );
}
