import { APIError, errorOf } from '../errors.ts';
import { type Http, type HttpReply, pathSegment } from '../http/http.ts';
import type { Output } from '../shape/output.ts';
import type { CallOptions } from './call-options.ts';

/** A call to send. */
export interface CallRequest {
  readonly name: string;
  readonly input: object;
  readonly options: CallOptions;
  /** Idempotency key of all requests of the call, unless they only call a model. */
  readonly key: string | false;
  readonly output: Output | undefined;
  readonly stream: boolean;
}

/** Sends a call. The result is always a document of `POST /call/:name`. */
export type CallResolver = (request: CallRequest) => Promise<HttpReply>;

/** Passed in instead of imported, so that code loaded at startup is not split into files that must all be fetched. */
export interface CallDependencies {
  readonly http: Http;
  readonly errorOf: typeof errorOf;
  readonly APIError: typeof APIError;
}

/** Calls by name in one request, an extension of the interface; falls back if the server lacks it. */
export function createCallResolver(http: Http): CallResolver {
  let fallback: CallResolver | undefined;
  let isProven = false;
  /** Names last served by a model: without a stored function, a retry cannot execute it twice. */
  const generated = new Set<string>();
  return async (request) => {
    if (fallback && isProven) return await fallback(request);
    const { name, input, options, key, output, stream } = request;
    const { model, cache, metadata } = options;
    const body = { input, model, cache, metadata, output: output?.schema, stream: stream || undefined };
    try {
      const idempotencyKey = options.idempotencyKey ?? (!generated.has(name) && key);
      const reply = await http({
        ...options,
        idempotencyKey,
        method: 'POST',
        path: `/call/${pathSegment(name)}`,
        body,
      });
      const { functionId } = (reply.json ?? {}) as { readonly functionId?: unknown };
      if (functionId === null) generated.add(name);
      else generated.delete(name);
      return reply;
    } catch (error) {
      if (!hasNoCalls(error)) throw error;
    }
    // Loaded on demand.
    const { createFallback } = await import('./published-interface.ts');
    fallback ??= createFallback({ http, errorOf, APIError });
    const resolved = await fallback(request);
    // Only now: the 404 could have come from a proxy whose server was still starting.
    isProven = true;
    return resolved;
  };
}

/** Codes with which a server with `/call` reports a missing function; other servers respond differently. */
function hasNoCalls(error: unknown): boolean {
  if (!(error instanceof APIError)) return false;
  return /^40[45]$/.test(`${error.status}`) && !/^(function|model)_not_found$/.test(error.code ?? '');
}
