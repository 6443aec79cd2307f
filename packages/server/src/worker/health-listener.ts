import { once } from 'node:events';
import { createServer } from 'node:http';
import Router from '@koa/router';
import { type App, newId } from '@patchbay/core';
import { PatchbayError } from '@patchbay/core/plugin';
import { problemReply, sendReply, type WireReply } from '@patchbay/http';
import Koa from 'koa';
import { urlOf } from '../url-of.ts';

/** A socket that says how a worker is, and nothing else. */
export interface HealthListener {
  readonly url: string;
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 100;
const PATIENCE_MS = 5_000;

interface HealthState {
  reply: WireReply;
}

/** What a worker cannot do anything without. */
const needed = ['storage', 'queue', 'executor'];

/** @throws Error `EADDRINUSE`, `EACCES` and the like. */
export async function startHealthListener(
  app: App,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<HealthListener> {
  const timeouts = { headersTimeout: PATIENCE_MS, requestTimeout: PATIENCE_MS, keepAliveTimeout: PATIENCE_MS };
  const koa = new Koa<HealthState>();
  koa.use(async (context, next) => {
    context.respond = false;
    context.state.reply = refusal(
      new PatchbayError('route_not_found', 'a worker has /healthz, /readyz and /metrics only'),
    );
    await next().catch((error: unknown) => {
      context.state.reply = refusal(error);
    });
    await sendReply(context.state.reply, context.req, context.res);
  });
  koa.use(healthRoutes(app).routes());
  // A client that leaves is no event.
  koa.on('error', () => undefined);
  const handle = koa.callback();
  const server = createServer({ ...timeouts, maxHeaderSize: 16_384 }, (message, response) => {
    void handle(message, response);
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(port, host);
  await once(server, 'listening');
  return {
    url: urlOf(server),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function healthRoutes(app: App): Router<HealthState> {
  const router = new Router<HealthState>({ strict: true, sensitive: true });
  router.get('/healthz', ({ state }) => {
    state.reply = said(200, 'ok');
  });
  router.get('/readyz', async ({ state }) => {
    const { status, parts } = await app.host.health();
    const works = needed.every((part) => parts[part]?.status !== 'fail');
    state.reply = status !== 'draining' && works ? said(200, 'ok') : said(503, 'draining');
  });
  router.get('/metrics', async ({ state }) => {
    const headers = { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8', 'Cache-Control': 'no-store' };
    state.reply = { status: 200, headers, body: await app.host.metrics(), close: false };
  });
  router.all(/^\/(healthz|readyz|metrics)$/, ({ path }) => {
    throw new PatchbayError('method_not_allowed', `${path} can be read only`, { extensions: { allow: 'GET, HEAD' } });
  });
  return router;
}

function said(status: number, word: string): WireReply {
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
  return { status, headers, body: JSON.stringify({ status: word }), close: false };
}

function refusal(error: unknown): WireReply {
  return problemReply(error, newId('request'));
}
