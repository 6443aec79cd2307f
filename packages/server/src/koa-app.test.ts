import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tenantId } from '@patchbay/core';
import { apiVersion, createNodeListener, defineOperation, type Reply } from '@patchbay/http';
import { rawRequest } from '@patchbay/http/fixtures/raw-request';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminKey, authorization, createTestApp, sample } from './fixtures/test-server.ts';
import { createKoaApp } from './koa-app.ts';

type Handle = (message: IncomingMessage, response: ServerResponse) => Promise<void>;

async function listen(handle: Handle): Promise<{ server: Server; port: number }> {
  const server = createServer({ requireHostHeader: false }, (message, response) => void handle(message, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

const model = defineOperation({
  id: 'getModel',
  method: 'GET',
  path: '/models/*id',
  area: 'gateway',
  scope: 'models:read',
  summary: 'Model',
  params: { id: { description: 'Id.', notFound: 'model_not_found' } },
  success: { status: 200, description: 'The model.', schema: 'Empty' },
  errors: [],
  handle: async ({ params }) => ({ json: params }),
});

function operationOf(path: string, mediaType: string, handle: () => Promise<Reply>) {
  const { success: _, ...rest } = model;
  const success = { status: 200, description: 'A text.', mediaType };
  return defineOperation({ ...rest, path, params: {}, success, handle });
}

describe('createKoaApp', () => {
  const servers: Server[] = [];
  let app: Awaited<ReturnType<typeof createTestApp>>;
  const open = async (handle: Handle) => {
    const { server, port } = await listen(handle);
    servers.push(server);
    return port;
  };
  beforeAll(async () => {
    app = await createTestApp();
  });
  afterAll(async () => {
    for (const server of servers) server.closeAllConnections();
    for (const server of servers) server.close();
    await app.host.stop(0);
  });

  it('responds with a problem document where the response of an operation cannot be written', async () => {
    const broken = defineOperation({ ...model, handle: async () => ({ json: {}, headers: { 'X-Broken': 'a\nb' } }) });
    const port = await open(createKoaApp(app, { operations: [broken] }).callback());
    const headers = { authorization: `Bearer ${adminKey}` };
    const response = await fetch(`http://127.0.0.1:${port}/models/one`, { headers });
    expect([response.status, await response.json()]).toEqual([
      500,
      expect.objectContaining({ code: 'internal_error' }),
    ]);
  });

  it('allows pages from other origins behind middleware of the host', async () => {
    const before = [async (_context: unknown, next: () => Promise<unknown>) => void (await next())];
    const origin = 'https://app.acme.com';
    const port = await open(createKoaApp(app, { before, cors: { origins: [origin] } }).callback());
    const url = `http://127.0.0.1:${port}/functions`;
    const asked = await fetch(url, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } });
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, origin]);
    const read = await fetch(url, { headers: { origin, authorization: `Bearer ${adminKey}` } });
    expect([read.status, read.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
  });

  it('redirects a browser from the root to the docs page, even behind middleware of the host', async () => {
    const before = [async (_context: unknown, next: () => Promise<unknown>) => void (await next())];
    const port = await open(createKoaApp(app, { before, basePath: '/api' }).callback());
    const headers = { accept: 'text/html' };
    const { status, headers: answered } = await fetch(`http://127.0.0.1:${port}/`, { headers, redirect: 'manual' });
    expect([status, answered.get('location')]).toEqual([302, '/api/docs']);
  });

  it('responds as the plain listener does, byte for byte except for ids and times', async () => {
    const ports = [await open(createKoaApp(app).callback()), await open(createNodeListener(app))];
    const body = JSON.stringify(sample);
    const typed = (text: string) =>
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
    const key = `${authorization}\r\n`;
    const requests = [
      'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n',
      'HEAD /readyz HTTP/1.1\r\nHost: a\r\n\r\n',
      'GET /docs HTTP/1.1\r\nHost: a\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\n\r\n',
      'HEAD / HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\n\r\n',
      'GET /functions HTTP/1.1\r\nHost: a\r\n\r\n',
      `GET /functions HTTP/1.1\r\nHost: a\r\n${key}\r\n`,
      `HEAD /functions?limit=3 HTTP/1.1\r\nHost: a\r\n${key}\r\n`,
      `GET /functions?limit=x HTTP/1.1\r\nHost: a\r\n${key}\r\n`,
      `GET /functions/ HTTP/1.1\r\nHost: a\r\n${key}\r\n`,
      `GET /Functions HTTP/1.1\r\nHost: a\r\n${key}\r\n`,
      `GET //functions HTTP/1.1\r\nHost: a\r\n${key}\r\n`,
      `GET /functions/%zz HTTP/1.1\r\nHost: a\r\n${key}\r\n`,
      `GET /functions/%2e%2e%2fetc HTTP/1.1\r\nHost: a\r\n${key}\r\n`,
      `GET /functions/__proto__ HTTP/1.1\r\nHost: a\r\n${key}\r\n`,
      `GET http://b/functions HTTP/1.1\r\nHost: a\r\n${key}\r\n`,
      `OPTIONS * HTTP/1.1\r\nHost: a\r\n${key}\r\n`,
      `GET /functions HTTP/1.1\r\nHost: a\r\nHost: b\r\n${key}\r\n`,
      `GET /functions HTTP/1.1\r\n${key}\r\n`,
      `PATCH /functions/a HTTP/1.1\r\nHost: a\r\n${key}\r\n`,
      `TRACE /functions HTTP/1.1\r\nHost: a\r\n${key}\r\n`,
      `POST /functions HTTP/1.1\r\nHost: a\r\n${key}${typed('{}')}`,
      `POST /functions HTTP/1.1\r\nHost: a\r\n${typed(body)}`,
      `PUT /functions/a HTTP/1.1\r\nHost: a\r\n${key}${typed(body)}`,
      `DELETE /functions/a HTTP/1.1\r\nHost: a\r\n${key}${typed('{}')}`,
      `POST /functions HTTP/1.1\r\nHost: a\r\n${key}Content-Type: application/json\r\nContent-Length: 20000000\r\n\r\n{`,
    ];
    for (const request of requests) {
      const sent = request.replace('\r\n', '\r\nConnection: close\r\n');
      const [koa, node] = await Promise.all(ports.map(async (port) => comparable(await rawRequest(port, sent))));
      expect(koa, request).toEqual(node);
    }
  });

  it('runs middleware that is added later, before the API', async () => {
    const koa = createKoaApp(app);
    koa.use(async (context, next) => {
      if (context.path === '/own') context.body = 'own';
      else await next();
    });
    const url = `http://127.0.0.1:${await open(koa.callback())}`;
    expect(await (await fetch(`${url}/own`)).text()).toBe('own');
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/nothing`)).status).toBe(401);
  });

  it('keeps the type of an empty text', async () => {
    const empty = operationOf('/empty', 'text/csv', async () => ({ mediaType: 'text/csv', text: '' }));
    const port = await open(createKoaApp(app, { operations: [empty] }).callback());
    const response = await fetch(`http://127.0.0.1:${port}/empty`, { headers: { 'x-api-key': adminKey } });
    expect(response.headers.get('content-type')).toContain('text/csv');
  });

  it('a model id may have a slash, raw and encoded', async () => {
    const port = await open(createKoaApp(app, { operations: [model] }).callback());
    for (const path of ['openai/gpt-5', 'openai%2Fgpt-5']) {
      const answer = await rawRequest(
        port,
        `GET /models/${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${authorization}\r\n\r\n`,
      );
      expect(answer).toContain('{"id":"openai/gpt-5"}');
    }
  });

  it('middleware may name the caller', async () => {
    const koa = createKoaApp(app, {
      before: [
        async (context, next) => {
          context.state['user'] = context.get('cookie') === 'session=42' ? '42' : undefined;
          await next();
        },
      ],
      caller: ({ state }) =>
        state['user'] && {
          id: `user|${state['user']}`,
          kind: 'user',
          tenant: tenantId('acme'),
          scopes: ['models:read'],
        },
    });
    const url = `http://127.0.0.1:${await open(koa.callback())}`;
    const statusOf = async (path: string, headers = {}) => (await fetch(url + path, { headers })).status;
    expect(await statusOf('/models', { cookie: 'session=42' })).toBe(200);
    expect(await statusOf('/functions', { cookie: 'session=42' })).toBe(403);
    expect(await statusOf('/models')).toBe(401);
    expect(await statusOf('/nothing', { cookie: 'session=42' })).toBe(404);
  });

  it('lets middleware see the route, the state and the response', async () => {
    const seen: unknown[] = [];
    const koa = createKoaApp(app, {
      before: [
        async (context, next) => {
          context.state['user'] = 'me';
          await next();
          seen.push([context.state['user'], context['_matchedRoute'], context.status, typeof context.body]);
          context.set('X-Added', 'yes');
        },
      ],
    });
    const port = await open(koa.callback());
    const response = await fetch(`http://127.0.0.1:${port}/functions/x`, { headers: { 'x-api-key': adminKey } });
    expect(seen).toEqual([['me', '/functions/:id', 404, 'string']]);
    expect(response.headers.get('x-added')).toBe('yes');
  });

  it('responds with a generic problem document when middleware throws', async () => {
    const koa = createKoaApp(app, { before: [async () => Promise.reject(new Error('secret of the host'))] });
    const response = await fetch(`http://127.0.0.1:${await open(koa.callback())}/functions`);
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(JSON.parse(text)).toMatchObject({ code: 'internal_error', requestId: response.headers.get('request-id') });
    expect(text).not.toContain('secret');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('patchbay-version')).toBe(apiVersion);
  });

  it('streams', async () => {
    const streaming = operationOf('/stream', 'text/event-stream', async () => ({
      mediaType: 'text/event-stream',
      stream: (async function* () {
        yield 'data: 1\n\n';
        yield 'data: 2\n\n';
      })(),
    }));
    const port = await open(createKoaApp(app, { operations: [streaming] }).callback());
    const response = await fetch(`http://127.0.0.1:${port}/stream`, { headers: { 'x-api-key': adminKey } });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(await response.text()).toBe('data: 1\n\ndata: 2\n\n');
  });
});

/** Headers in any order and any case, without what differs between requests. */
function comparable(answer: string): object {
  const [head = '', body = ''] = answer.replaceAll(/request_\w{26}/g, 'request_…').split('\r\n\r\n');
  const [line, ...headers] = head.split('\r\n');
  const sorted = headers
    .map((header) => header.replace(/^[^:]+/, (name) => name.toLowerCase()))
    .map((header) => header.replace(/^ratelimit:.*/, (text) => text.replaceAll(/\d+/g, '…')))
    .filter((header) => !header.startsWith('date:'));
  return { line, headers: sorted.toSorted(), body };
}
