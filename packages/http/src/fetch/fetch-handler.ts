import type { App } from '@patchbay/core';
import type { Principal } from '@patchbay/core/plugin';
import { type ApiOptions, createApi } from '../api.ts';
import { FetchRequest } from './fetch-request.ts';
import { toResponse } from './to-response.ts';

/**
 * @typeParam Host What the host passes on as the second argument of the handler: the context of Hono, the information
 *   of `Deno.serve`, the server of Bun.
 */
export interface FetchHandlerOptions<Host = unknown> extends ApiOptions {
  /** Tells the address of the peer, which a `Request` does not have. For allow-lists of keys, and limits. */
  readonly remoteAddress?: (request: Request, host: Host) => string | undefined;
  /**
   * Who asks, for hosts with an authentication of their own. `undefined`: the token of the request tells, as without
   * this. What it throws, other than a `PatchbayError`, is answered with 500 and logged.
   */
  readonly caller?: (request: Request, host: Host) => Principal | undefined | Promise<Principal | undefined>;
}

/** Answers a request; never rejects. */
export type FetchHandler<Host = unknown> = (
  request: Request,
  ...host: unknown extends Host ? [host?: unknown] : [host: Host]
) => Promise<Response>;

/**
 * The API as a handler for everything that speaks `Request` and `Response`: Hono, Next.js, Bun, Deno.
 *
 * The path of the request counts: under a prefix there is `basePath`, and where the host cuts the prefix off
 * `mountPath`. On Node itself `createNodeListener` takes a fraction of the time.
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
export function createFetchHandler<Host = unknown>(
  app: App,
  options: FetchHandlerOptions<Host> = {},
): FetchHandler<Host> {
  const api = createApi(app, options);
  const { caller, remoteAddress } = options;
  return async (request, ...[given]) => {
    const host = given as Host;
    const incoming = new FetchRequest(request, {
      ...(remoteAddress && { remoteAddress: () => remoteAddress(request, host) }),
      ...(caller && { caller: () => caller(request, host) }),
    });
    return toResponse(await api.respond(incoming), request.method, () => incoming.disconnect());
  };
}
