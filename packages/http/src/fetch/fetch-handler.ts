import type { App } from '@patchbay/core';
import { type ApiOptions, createApi } from '../api.ts';
import type { WireReply } from '../output/reply.ts';
import { FetchRequest } from './fetch-request.ts';

export interface FetchHandlerOptions extends ApiOptions {
  /** Tells the address of the peer, which a `Request` does not have. For allow-lists of keys. */
  readonly remoteAddress?: (request: Request) => string | undefined;
}

/**
 * The API as a handler for everything that speaks `Request` and `Response`: Hono, Next.js, Bun, Deno.
 *
 * On Node itself `createNodeListener` takes a fraction of the time.
 *
 * @example
 * ```ts
 * import type { App } from '@patchbay/core';
 * import { createFetchHandler } from '@patchbay/http';
 *
 * export function routeHandlers(app: App) {
 *   const handler = createFetchHandler(app, { basePath: '/api' });
 *   return { GET: handler, POST: handler, PUT: handler, DELETE: handler };
 * }
 * ```
 */
export function createFetchHandler(
  app: App,
  options: FetchHandlerOptions = {},
): (request: Request) => Promise<Response> {
  const api = createApi(app, options);
  return async (request) => {
    const reply = await api.respond(new FetchRequest(request, options.remoteAddress?.(request)));
    return toResponse(reply, request.method);
  };
}

function toResponse({ status, headers, body }: WireReply, method: string): Response {
  if (typeof body === 'object') return new Response(ReadableStream.from(encoded(body)), { status, headers });
  if (body !== undefined) headers['Content-Length'] = String(Buffer.byteLength(body));
  // 499 is for our log: the client that it is about is gone.
  return new Response(method === 'HEAD' ? null : (body ?? null), { status, headers });
}

async function* encoded(stream: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const piece of stream) yield encoder.encode(piece);
}
