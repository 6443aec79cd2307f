import type { JsonObject, JsonValue } from '@patchbay/core/plugin';
import { fieldsOf, type JsonFields, listOf } from '@patchbay/core/provider';
import type { CompleteAnswer } from '../upstream-answer.ts';
import type { UpstreamRequest } from '../upstream-request.ts';

/** One event of a stream, without its terminator: the blank line of an event stream, the line end of NDJSON. */
export type StreamEvent = string;

/** A streamed response, in the parts that faults cut at. */
export interface AnswerStream {
  /** Before anything a reader could show. */
  readonly opening: readonly StreamEvent[];
  /** The answer itself. */
  readonly pieces: readonly StreamEvent[];
  /** The events that end a complete response. */
  readonly ending: readonly StreamEvent[];
  /** Sent after `ending`, such as `data: [DONE]`. Many compatible servers omit it; the answer is complete without it. */
  readonly terminator?: StreamEvent;
}

/** Everything after the pieces of a healthy stream. */
export function endingOf({ ending, terminator }: AnswerStream): readonly StreamEvent[] {
  return terminator === undefined ? ending : [...ending, terminator];
}

/** Causes of a refusal that callers can do something about. */
export type RefusalCause = 'context_length' | 'content_filter' | 'unsupported';

export interface Refusal {
  readonly status: number;
  readonly body: JsonObject;
}

/**
 * How one vendor speaks over HTTP: what turns `startUpstream` into that vendor's server. Optional members
 * have defaults that fit a vendor without streams.
 *
 * @example
 * ```ts
 * import type { UpstreamDialect } from '@patchbay/testing';
 *
 * export const acme: UpstreamDialect = {
 *   basePath: '/v2',
 *   answer: (_request, { text, usage }) => ({
 *     reply: text,
 *     ...(usage && { used: { in: usage.uncachedInputTokens, out: usage.outputTokens } }),
 *   }),
 *   error: (status, message) => ({ fault: { code: `http-${status}`, message } }),
 *   refusal: (cause) =>
 *     cause === 'context_length' ? { status: 400, body: { fault: { code: 'too-long', message: 'Too long.' } } } : undefined,
 * };
 * ```
 */
export interface UpstreamDialect {
  /** Path of a client's base URL, such as `/v1`. Default: none. */
  readonly basePath?: string;
  /** How a stream is written: server-sent events, or a JSON document per line. Default: `events`. */
  readonly streamFormat?: 'events' | 'ndjson';
  /** Of the lines of a stream. Default: `\n`. */
  readonly lineEnd?: '\n' | '\r\n';
  /** Header in which the vendor names each answer. Default: none. */
  readonly requestIdHeader?: string | undefined;
  /** Why the vendor would reject the request: no such path, no key, no messages. Default: it accepts all. */
  refuse?(request: UpstreamRequest): Refusal | undefined;
  /** The vendor's answer in its own form; as a stream if the request asks for one. Pure: same in, same out. */
  answer(request: UpstreamRequest, answer: CompleteAnswer): JsonObject | AnswerStream;
  /** The vendor's error document. */
  error(status: number, message: string): JsonObject;
  /** The vendor's response to an invalid request; undefined if it does not report this cause. */
  refusal(cause: RefusalCause): Refusal | undefined;
  /** The event that reports a failure within a stream. Default: the error document of 500 as the data of an event. */
  errorEvent?(message: string, request: UpstreamRequest): StreamEvent;
}

/** A dialect with every default filled in. */
export type Dialect = Required<UpstreamDialect>;

export function completeDialect(dialect: UpstreamDialect): Dialect {
  return {
    basePath: dialect.basePath ?? '',
    streamFormat: dialect.streamFormat ?? 'events',
    lineEnd: dialect.lineEnd ?? '\n',
    requestIdHeader: dialect.requestIdHeader,
    refuse: (request) => dialect.refuse?.(request),
    answer: (request, answer) => dialect.answer(request, answer),
    error: (status, message) => dialect.error(status, message),
    refusal: (cause) => dialect.refusal(cause),
    errorEvent: (message, request) => dialect.errorEvent?.(message, request) ?? defaultErrorEvent(dialect, message),
  };
}

function defaultErrorEvent(dialect: UpstreamDialect, message: string): StreamEvent {
  const document = JSON.stringify(dialect.error(500, message));
  return dialect.streamFormat === 'ndjson' ? document : `data: ${document}`;
}

export function isStream(answer: JsonObject | AnswerStream): answer is AnswerStream {
  return 'pieces' in answer;
}

export function member(request: UpstreamRequest, name: string): JsonValue | undefined {
  const { json } = request;
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined;
  return (json as JsonObject)[name];
}

/** The objects in a list; none if it is not a list. */
export function objectsIn(value: unknown): readonly JsonFields[] {
  return (listOf(value) ?? []).flatMap((each) => {
    const fields = fieldsOf(each);
    return fields ? [fields] : [];
  });
}
