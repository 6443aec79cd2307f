import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type App, newId } from '@patchbay/core';
import { PatchbayError } from '@patchbay/core/plugin';
import { problemReply, sendReply, type WireReply } from '@patchbay/http';
import { urlOf } from '../url-of.ts';

/** A socket that says how a worker is, and nothing else. */
export interface HealthListener {
  readonly url: string;
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 100;
const PATIENCE_MS = 5_000;

/** What a worker cannot do anything without. */
const needed = ['storage', 'queue', 'executor'];

/** @throws Error `EADDRINUSE`, `EACCES` and the like. */
export async function startHealthListener(
  app: App,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<HealthListener> {
  const timeouts = { headersTimeout: PATIENCE_MS, requestTimeout: PATIENCE_MS, keepAliveTimeout: PATIENCE_MS };
  const server = createServer({ ...timeouts, maxHeaderSize: 16_384 }, (message, response) => {
    void answer(app, message)
      .catch((error: unknown) => refusal(error))
      .then((reply) => sendReply(reply, message, response));
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

async function answer(app: App, { method, url = '/' }: IncomingMessage): Promise<WireReply> {
  const path = url.split('?', 1)[0];
  if (path !== '/healthz' && path !== '/readyz' && path !== '/metrics') {
    return refusal(new PatchbayError('route_not_found', 'a worker has /healthz, /readyz and /metrics only'));
  }
  if (method !== 'GET' && method !== 'HEAD') {
    return refusal(
      new PatchbayError('method_not_allowed', `${path} can be read only`, { extensions: { allow: 'GET, HEAD' } }),
    );
  }
  if (path === '/healthz') return said(200, 'ok');
  if (path === '/metrics') {
    const headers = { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8', 'Cache-Control': 'no-store' };
    return { status: 200, headers, body: await app.host.metrics(), close: false };
  }
  const { status, parts } = await app.host.health();
  const works = needed.every((part) => parts[part]?.status !== 'fail');
  return status !== 'draining' && works ? said(200, 'ok') : said(503, 'draining');
}

function said(status: number, word: string): WireReply {
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
  return { status, headers, body: JSON.stringify({ status: word }), close: false };
}

function refusal(error: unknown): WireReply {
  return problemReply(error, newId('request'));
}
