import { Readable } from 'node:stream';
import type Router from '@koa/router';
import { type App, newId } from '@patchbay/core';
import type { Principal } from '@patchbay/core/plugin';
import {
  type Api,
  type ApiOptions,
  createApi,
  NodeRequest,
  problemReply,
  sendReply,
  type WireReply,
} from '@patchbay/http';
import Koa, { type Context } from 'koa';
import { koaRouter } from './koa-router.ts';

export interface KoaAppOptions extends ApiOptions {
  /** Middleware that runs before the routes, in order. */
  readonly before?: readonly Koa.Middleware[];
  /**
   * The caller, if middleware of `before` has identified it, in `context.state` or elsewhere. `undefined`: the token of the
   * request is used, as without this option.
   */
  readonly caller?: (context: Context) => Principal | undefined | Promise<Principal | undefined>;
  /** Whether responses close their connection. Default: no. */
  readonly draining?: () => boolean;
}

/**
 * The API as a Koa application: one route per operation, so that middleware before them sees `ctx.state`, the
 * matched route and the response as in every Koa application.
 *
 * @example
 * ```ts
 * import type { App } from '@patchbay/core';
 * import { createKoaApp } from '@patchbay/server';
 *
 * export function serve(app: App) {
 *   return createKoaApp(app, { basePath: '/api' }).listen(4810, '127.0.0.1');
 * }
 * ```
 */
export function createKoaApp(app: App, options: KoaAppOptions = {}): Koa {
  const { before = [], draining = () => false, caller } = options;
  const api = createApi(app, options);
  const inForce = (reply: WireReply): WireReply => (draining() ? { ...reply, close: true } : reply);
  const answer: Write = (context, reply) => write(context, inForce(reply));
  const koa = new KoaWithApi((last) => {
    last.use(routerOf(api, answer, caller).routes());
    // Also handles unmatched requests: the API knows whether the path or the method is wrong, and who may learn it.
    last.use(async (context) => answer(context, await api.respond(requestOf(context, caller))));
  });
  // Koa would write to the console.
  koa.silent = true;
  koa.on('error', (error: NodeJS.ErrnoException) => {
    // A disconnect is only recorded in the access log.
    if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE')
      app.host.logger.error('the connection failed', { error });
  });
  koa.use(answerFailures(app));
  for (const middleware of before) koa.use(middleware);
  return koa;
}

/**
 * The operations of an API as routes, for a Koa application that also has others.
 *
 * @example
 * ```ts
 * import type { App } from '@patchbay/core';
 * import { createApi } from '@patchbay/http';
 * import { createRouter } from '@patchbay/server';
 * import Koa from 'koa';
 *
 * export const serve = (app: App) => new Koa().use(createRouter(createApi(app)).routes());
 * ```
 */
export function createRouter(api: Api, options: Pick<KoaAppOptions, 'caller'> = {}): Router {
  return routerOf(api, write, options.caller);
}

function requestOf(context: Context, caller: KoaAppOptions['caller']): NodeRequest {
  return new NodeRequest(context.req, context.res, caller && { caller: () => caller(context) });
}

type Write = (context: Context, reply: WireReply) => Promise<void>;

function routerOf(api: Api, answer: Write, caller: KoaAppOptions['caller']): Router {
  const router = koaRouter();
  for (const route of api.routes) {
    const isPublic = route.operation.scope === 'public';
    router.register(route.path, [route.operation.method], async (context) => {
      const found = { route, params: context.params as Record<string, string>, allowed: [], public: isPublic };
      await answer(context, await api.respond(requestOf(context, caller), found));
    });
  }
  return router;
}

async function write(context: Context, reply: WireReply): Promise<void> {
  const { req: message, res: response } = context;
  // Koa cannot close a connection with the necessary care.
  if (reply.close || !message.complete) {
    context.respond = false;
    await sendReply(reply, message, response);
    return;
  }
  const { status, headers, body } = reply;
  context.status = status;
  for (const name in headers) response.setHeader(name, headers[name] ?? '');
  // Koa serializes bytes that are not a `Buffer` as JSON.
  if (body instanceof Uint8Array) context.body = Buffer.from(body);
  else context.body = typeof body === 'object' ? Readable.from(body) : (body ?? null);
  // Koa gives every text a type, even an empty one.
  if (body === '' && headers['Content-Type'] === undefined) context.remove('Content-Type');
}

/** The last resort for middleware of the host that throws: a problem document, like every other failure. */
function answerFailures(app: App): Koa.Middleware {
  return async (context, next) => {
    try {
      await next();
    } catch (error) {
      const requestId = newId('request');
      app.host.logger.error('request failed', { requestId, error });
      await write(
        context,
        problemReply(error, requestId, (text) => app.host.redact(text)),
      );
    }
  };
}

/** A Koa application that answers what no other middleware has, whenever that was added. */
class KoaWithApi extends Koa {
  #addLast: ((koa: Koa) => void) | undefined;

  constructor(addLast: (koa: Koa) => void) {
    super();
    this.#addLast = addLast;
  }

  override callback(): ReturnType<Koa['callback']> {
    this.#addLast?.(this);
    this.#addLast = undefined;
    return super.callback();
  }
}
