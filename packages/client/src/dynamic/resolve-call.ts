import { APIError, errorOf } from '../api-error.ts';
import type { Http, HttpReply } from '../http/http.ts';
import { pathSegment } from '../http/path-segment.ts';
import type { Output } from '../shape/output.ts';
import { type CallAnswer, readCallAnswer } from './call-answer.ts';
import type { CallOptions } from './call-options.ts';

/** A call as it is to be sent. */
export interface CallRequest {
  readonly name: string;
  readonly input: object;
  readonly options: CallOptions;
  readonly output: Output | undefined;
  readonly stream: boolean;
}

export interface Resolved {
  readonly reply: HttpReply;
  /** Absent where the answer is a stream. */
  readonly answer?: CallAnswer;
}

/** Brings a call to the server. */
export type CallResolver = (request: CallRequest) => Promise<Resolved>;

/** Handed on instead of imported: so nothing that is loaded at once is cut into files that all have to be fetched. */
export interface Parts {
  readonly http: Http;
  /** Post with what the options say of requests. */
  readonly post: (path: string, body: object, request: CallRequest) => Promise<HttpReply>;
  readonly readCallAnswer: typeof readCallAnswer;
  readonly errorOf: typeof errorOf;
  readonly APIError: typeof APIError;
}

/** By name in one request, which is an extension of the interface; where a server does not have it, without. */
export function createCallResolver(http: Http): CallResolver {
  const post: Parts['post'] = (path, body, { options }) => http({ ...options, method: 'POST', path, body });
  let fallback: CallResolver | undefined;
  let isProven = false;
  return async (request) => {
    if (fallback && isProven) return await fallback(request);
    const { name, input, options, output, stream } = request;
    const body = { input, model: options.model, output: output?.schema, stream: stream || undefined };
    try {
      const reply = await post(`/call/${pathSegment(name)}`, body, request);
      return reply.stream ? { reply } : { reply, answer: readCallAnswer(reply.json) };
    } catch (error) {
      if (!hasNoCalls(error)) throw error;
    }
    // Loaded by those who need it only.
    const { createFallback } = await import('./published-interface.ts');
    fallback ??= createFallback({ http, post, readCallAnswer, errorOf, APIError });
    const resolved = await fallback(request);
    // Only now: the 404 could have come from a proxy whose server was not there yet.
    isProven = true;
    return resolved;
  };
}

/** A server that has `/call` says what it does not find; whatever others answer, it is none of these. */
function hasNoCalls(error: unknown): boolean {
  if (!(error instanceof APIError)) return false;
  return /^40[45]$/.test(`${error.status}`) && !/^(function|model)_not_found$/.test(error.code ?? '');
}
