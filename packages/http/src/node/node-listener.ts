import type { ServerResponse } from 'node:http';
import type { App } from '@patchbay/core';
import { type ApiOptions, createApi } from '../api.ts';
import { type NodeMessage, NodeRequest } from './node-request.ts';
import { sendReply } from './send-reply.ts';

/** Handles a request of `node:http`. Resolves when the answer was handed to the socket; never rejects. */
export type NodeListener = (message: NodeMessage, response: ServerResponse) => Promise<void>;

/**
 * The API as a listener for `node:http`, Express and Connect (`use`), Fastify (`request.raw` and `reply.raw` after
 * `reply.hijack()`) and Koa (`ctx.req` and `ctx.res` with `ctx.respond = false`).
 *
 * Hosts that cut the path of a mount off (Express) need no `basePath`; the others do. A body parser of the host may
 * run before: then its limits and its answers to malformed bodies count.
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
export function createNodeListener(app: App, options: ApiOptions = {}): NodeListener {
  const api = createApi(app, options);
  return async (message, response) => {
    const reply = await api.respond(new NodeRequest(message, response));
    await sendReply(reply, message, response);
  };
}
