import type { ServerResponse } from 'node:http';
import type { App } from '@patchbay/core';
import type { Principal } from '@patchbay/core/plugin';
import { type ApiOptions, createApi } from '../api.ts';
import { type NodeMessage, serveMessage } from './node-exchange.ts';

/**
 * @typeParam Host Third argument of the listener, as passed by the host: the context of Koa, the request of
 *   Fastify. Express passes its `next`, which is unused; its data is in the message.
 */
export interface NodeListenerOptions<Host = unknown> extends ApiOptions {
  /**
   * The caller, for hosts that authenticate requests themselves. `undefined`: the token of the request is used, as without
   * this option. Errors other than `PatchbayError` are logged and result in 500.
   */
  readonly caller?: (message: NodeMessage, host: Host) => Principal | undefined | Promise<Principal | undefined>;
  /** The body parsed by the host. Default: `message.body`, as in Express. */
  readonly body?: (message: NodeMessage, host: Host) => unknown;
}

/**
 * Handles a request of `node:http`. Resolves when the complete response was written to the socket; never
 * rejects.
 */
export type NodeListener<Host = unknown> = (
  message: NodeMessage,
  response: ServerResponse,
  ...host: unknown extends Host ? [host?: unknown] : [host: Host]
) => Promise<void>;

/**
 * The API as a listener for `node:http`, Express and Connect (`use`), Fastify (`request.raw` and `reply.raw` after
 * `reply.hijack()`) and Koa (`context.req` and `context.res` with `context.respond = false`).
 *
 * Under a prefix: hosts that strip it and report it (Express) need no option; for hosts that strip it silently
 * set `mountPath`, and for those that keep the path set `basePath`. A body parser of the host may run before:
 * then its limits and its responses to malformed bodies apply.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import type { App } from '@patchbay/core';
 * import { createNodeListener } from '@patchbay/http';
 *
 * export function serve(app: App) {
 *   return createServer(createNodeListener(app, { basePath: '/api' })).listen(4810, '127.0.0.1');
 * }
 * ```
 */
export function createNodeListener<Host = unknown>(
  app: App,
  options: NodeListenerOptions<Host> = {},
): NodeListener<Host> {
  const serving = { app, api: createApi(app, options) };
  const { caller, body } = options;
  return async (message, response, ...[given]) => {
    const host = given as Host;
    await serveMessage(serving, message, response, {
      ...(caller && { caller: () => caller(message, host) }),
      ...(body && { body: () => body(message, host) }),
    });
  };
}
