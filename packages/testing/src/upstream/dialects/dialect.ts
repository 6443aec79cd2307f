import type { JsonObject, JsonValue } from '@patchbay/core/plugin';
import type { CompleteAnswer } from '../upstream-answer.ts';
import type { UpstreamRequest } from '../upstream-request.ts';

/** One event of a stream, without the blank line that ends it. */
export type StreamEvent = string;

/** A streamed answer, in the parts that faults cut at. */
export interface AnswerStream {
  /** Before anything a reader could show. */
  readonly opening: readonly StreamEvent[];
  /** The answer itself. */
  readonly pieces: readonly StreamEvent[];
  /** What says that the answer is complete. */
  readonly ending: readonly StreamEvent[];
}

/** Causes of a refusal that callers can do something about. */
export type RefusalCause = 'context_length' | 'content_filter' | 'unsupported';

export interface Refusal {
  readonly status: number;
  readonly body: JsonObject;
}

/** How one vendor speaks over HTTP. */
export interface Dialect {
  /** What a client's base URL has after the origin. */
  readonly basePath: string;
  /** Of the lines of a stream. */
  readonly lineEnd: '\n' | '\r\n';
  readonly requestIdHeader: string | undefined;
  /** Why the vendor would not take the request: no such path, no key, no messages. */
  refuse(request: UpstreamRequest): Refusal | undefined;
  answer(request: UpstreamRequest, answer: CompleteAnswer): JsonObject | AnswerStream;
  /** The vendor's error document. */
  error(status: number, message: string): JsonObject;
  /** What the vendor answers where the request is at fault. */
  refusal(cause: RefusalCause): Refusal;
  /** The event that reports a failure within a stream. */
  errorEvent(message: string): StreamEvent;
}

export function isStream(answer: JsonObject | AnswerStream): answer is AnswerStream {
  return 'pieces' in answer;
}

export function member(request: UpstreamRequest, name: string): JsonValue | undefined {
  const { json } = request;
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined;
  return (json as JsonObject)[name];
}
