import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { services, tenantId } from '@patchbay/core/plugin';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApiOptions } from '../api.ts';
import { openSocket, rawRequest, readAll, readUntil } from '../fixtures/raw-request.ts';
import { createTestApp, sample, type TestApp, tokenOf } from '../fixtures/test-app.ts';
import { defineOperation } from '../operation.ts';
import { createNodeListener, type NodeListener } from './node-listener.ts';

const authorization = `Authorization: Bearer ${tokenOf('admin')}`;
const host = 'Host: localhost';

describe('createNodeListener', () => {
  let test: TestApp;
  const servers: Server[] = [];
  beforeEach(async () => {
    test = await createTestApp();
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
    await test.app.host.stop(0);
  });

  async function listen(wrap?: (listener: NodeListener) => RequestListener, options: ApiOptions = {}): Promise<number> {
    const listener = createNodeListener(test.app, options);
    const handle = wrap?.(listener) ?? listener;
    const server = createServer({ requireHostHeader: false }, (message, response) => void handle(message, response));
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  async function createWaiting(port: number): Promise<string> {
    const headers = { authorization: `Bearer ${tokenOf('admin')}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ ...sample, code: 'wait' });
    const response = await fetch(`http://127.0.0.1:${port}/functions`, { method: 'POST', headers, body });
    return ((await response.json()) as { id: string }).id;
  }

  it.each([
    ['two Host headers', `GET /healthz HTTP/1.1\r\n${host}\r\nHost: other\r\n`],
    ['no Host header', 'GET /healthz HTTP/1.1\r\n'],
    ['a fragment', `GET /functions#x HTTP/1.1\r\n${host}\r\n${authorization}\r\n`],
    ['an absolute target', `GET http://other/functions HTTP/1.1\r\n${host}\r\n${authorization}\r\n`],
    ['an asterisk', `OPTIONS * HTTP/1.1\r\n${host}\r\n${authorization}\r\n`],
    ['two tokens', `GET /functions HTTP/1.1\r\n${host}\r\n${authorization}\r\n${authorization}\r\n`],
    ['a token twice, in two cases', `GET /functions HTTP/1.1\r\n${host}\r\n${authorization}\r\nAUTHORIZATION: x\r\n`],
    ['two keys', `GET /functions HTTP/1.1\r\n${host}\r\nx-api-key: a\r\nx-api-key: b\r\n`],
    ['GET with a body', `GET /functions HTTP/1.1\r\n${host}\r\n${authorization}\r\nContent-Length: 2\r\n\r\n{}`],
    [
      'GET with a chunked body',
      `GET /functions HTTP/1.1\r\n${host}\r\n${authorization}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n`,
    ],
  ])('refuses %s with 400', async (_what, head) => {
    const text = head.includes('\r\n\r\n')
      ? head.replace('\r\n', '\r\nConnection: close\r\n')
      : `${head}Connection: close\r\n`;
    const answer = await rawRequest(await listen(), `${text}\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(/Request-Id: request_/);
    expect(answer).toContain('"code":"invalid_request"');
  });

  const post = `POST /functions HTTP/1.1\r\n${host}\r\n${authorization}\r\nContent-Type: application/json\r\n`;

  it('refuses an announced body that is too large before it arrives, and closes', async () => {
    const answer = await rawRequest(
      await listen(),
      `${post}Content-Length: 99999999\r\n\r\n{`,
      new Uint8Array(17_000_000),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toMatch(/Connection: close/);
    expect(answer).toContain('"code":"body_too_large"');
  });

  it('refuses a streamed body as soon as it is too large, and delivers the response while the rest arrives', async () => {
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    const answer = await rawRequest(
      await listen(),
      `${post}Transfer-Encoding: chunked\r\n\r\n`,
      chunk.repeat(160),
      '0\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('"code":"body_too_large"');
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it('rejects a request before its body arrives', async () => {
    const head = `POST /functions HTTP/1.1\r\n${host}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`;
    const socket = await openSocket(await listen());
    socket.write(head);
    expect(await readUntil(socket, '"retryable"')).toMatch(/^HTTP\/1\.1 401 /);
    socket.end();
    await readAll(socket);
  });

  it('ends a connection on which a response cannot be written', async () => {
    const operation = defineOperation({
      id: 'break',
      method: 'GET',
      path: '/broken',
      area: 'system',
      scope: 'models:read',
      summary: 'Broken',
      success: { status: 200, description: 'Never.', schema: 'Empty' },
      errors: [],
      handle: async () => ({ json: {}, headers: { 'X-Broken': 'a\nb' } }),
    });
    const port = await listen(undefined, { operations: [operation] });
    const headers = { authorization: `Bearer ${tokenOf('admin')}` };
    await expect(fetch(`http://127.0.0.1:${port}/broken`, { headers })).rejects.toThrow('fetch failed');
    await expect(fetch(`http://127.0.0.1:${port}/broken`, { headers })).rejects.toThrow('fetch failed');
  });

  it('reuses the connection once the request was read', async () => {
    const socket = await openSocket(await listen());
    const request = `GET /functions/x HTTP/1.1\r\n${host}\r\n${authorization}\r\n\r\n`;
    for (const _ of [1, 2]) {
      socket.write(request);
      expect(await readUntil(socket, '"retryable"')).toMatch(/^HTTP\/1\.1 404 /);
    }
    socket.destroy();
  });

  it('logs a client that leaves while sending its body, and does nothing', async () => {
    const socket = await openSocket(await listen());
    const received = once(servers[0] as Server, 'request') as Promise<[IncomingMessage]>;
    socket.write(`${post}Content-Length: 100\r\n\r\n{"name":`);
    const [message] = await received;
    const closed = new Promise((resolve) => message.once('close', resolve));
    socket.destroy();
    await closed;
    await expect.poll(() => test.log.filter((entry) => entry.message === 'request')).toMatchObject([{ status: 499 }]);
    expect(test.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('aborts the work that a leaving client was waiting for', async () => {
    const port = await listen();
    const id = await createWaiting(port);
    const waiting = test.nextWaiting();
    const socket = await openSocket(port);
    const body = '{"input":{"text":"a"}}';
    const head = post.replace('/functions', `/functions/${id}/execute`);
    socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
    const signal = await waiting;
    const aborted = once(signal, 'abort');
    socket.destroy();
    await aborted;
    expect(signal.reason).toMatchObject({ code: 'client_closed_request' });
    const ended = { message: 'request', route: '/functions/:id/execute', status: 499 };
    await expect.poll(() => test.log).toContainEqual(expect.objectContaining(ended));
  });

  it('lets work that a client left behind finish before the app stops', async () => {
    const port = await listen();
    const id = await createWaiting(port);
    const waiting = test.nextWaiting();
    const controller = new AbortController();
    const headers = { authorization: `Bearer ${tokenOf('admin')}`, 'content-type': 'application/json' };
    const url = `http://127.0.0.1:${port}/functions/${id}/execute`;
    const init = { method: 'POST', headers, body: '{"input":{"text":"a"}}', signal: controller.signal };
    const answer = fetch(url, init).catch(() => 'left');
    const signal = await waiting;
    const aborted = once(signal, 'abort');
    controller.abort();
    await aborted;
    await test.app.host.stop(5_000);
    expect(await answer).toBe('left');
    const query = { sort: 'createdAt', order: 'asc', limit: 1 } as const;
    const page = await test.app.host.resolve(services.storage).list(tenantId('acme'), 'executions', query);
    expect(page.rows).toMatchObject([{ functionId: id, status: 'cancelled' }]);
  });

  it('serves behind a host that strips the mount path and has parsed the body, as Express does', async () => {
    const port = await listen((listener) => async (message, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of message) chunks.push(chunk as Buffer);
      const originalUrl = message.url ?? '';
      const parsed = {
        originalUrl,
        url: originalUrl.slice('/mounted'.length),
        body: JSON.parse(Buffer.concat(chunks).toString()),
      };
      await listener(Object.assign(message, parsed), response);
    });
    const headers = { authorization: `Bearer ${tokenOf('admin')}`, 'content-type': 'application/json' };
    const send = (body: string) =>
      fetch(`http://127.0.0.1:${port}/mounted/functions`, { method: 'POST', headers, body });
    const made = await send(JSON.stringify(sample));
    expect(made.status).toBe(201);
    expect(made.headers.get('location')).toMatch(/^\/mounted\/functions\/function_/);
    const deep = await send('['.repeat(100) + ']'.repeat(100));
    expect(await deep.json()).toMatchObject({ code: 'too_deep' });
    expect(await (await send('{"name":"\\u0000"}')).json()).toMatchObject({ code: 'unsupported_unicode' });
  });

  describe('with an operation that streams', () => {
    const streaming = (stream: () => AsyncIterable<string>): ApiOptions => ({
      operations: [
        defineOperation({
          id: 'streamSomething',
          method: 'GET',
          path: '/stream/*name',
          area: 'gateway',
          scope: 'models:read',
          summary: 'Stream',
          params: { name: { description: 'A name.', notFound: 'model_not_found' } },
          success: { status: 200, description: 'Events.', mediaType: 'text/event-stream' },
          errors: [],
          handle: async () => ({ stream: stream(), mediaType: 'text/event-stream' }),
        }),
      ],
    });
    const get = `GET /stream/a/b HTTP/1.1\r\n${host}\r\n${authorization}\r\n`;

    it('sends piece by piece and logs at the end', async () => {
      const port = await listen(
        undefined,
        streaming(async function* () {
          yield 'data: 1\n\n';
          yield 'data: 2\n\n';
        }),
      );
      const answer = await rawRequest(port, `${get}Connection: close\r\n\r\n`);
      expect(answer).toContain('Content-Type: text/event-stream');
      expect(answer).toContain('data: 1\n\n');
      expect(answer).toContain('data: 2\n\n');
      await expect.poll(() => test.log.filter(({ message }) => message === 'request')).toMatchObject([{ status: 200 }]);
    });

    it('sends everything in order, however it arrives, while it is produced', async () => {
      const pieces = Array.from({ length: 30_000 }, (_, index) => `data: ${index} ${'x'.repeat(index % 97)}\n\n`);
      let made = 0;
      const port = await listen(
        undefined,
        streaming(async function* () {
          for (const piece of pieces) {
            made += 1;
            yield piece;
            if (made % 1_000 === 0) await delay(1);
          }
        }),
      );
      const headers = { authorization: `Bearer ${tokenOf('admin')}` };
      const response = await fetch(`http://127.0.0.1:${port}/stream/a`, { headers });
      expect(made).toBeLessThan(pieces.length);
      expect(await response.text()).toBe(pieces.join(''));
    });

    it('stops the source when the client leaves', async () => {
      const stopped = Promise.withResolvers<void>();
      const port = await listen(
        undefined,
        streaming(async function* () {
          try {
            for (;;) {
              yield 'data: again\n\n';
              await delay(1);
            }
          } finally {
            stopped.resolve();
          }
        }),
      );
      const socket = await openSocket(port);
      socket.write(`${get}\r\n`);
      await readUntil(socket, 'again');
      socket.destroy();
      await stopped.promise;
      await expect.poll(() => test.log.filter(({ message }) => message === 'request')).toMatchObject([{ status: 499 }]);
    });

    it('a failing source breaks the connection, so that half is not mistaken for the whole', async () => {
      const port = await listen(
        undefined,
        streaming(async function* () {
          yield 'data: 1\n\n';
          throw new Error('broken source');
        }),
      );
      const headers = { authorization: `Bearer ${tokenOf('admin')}` };
      const read = async () => await (await fetch(`http://127.0.0.1:${port}/stream/a`, { headers })).text();
      await expect(read()).rejects.toBeInstanceOf(TypeError);
    });
  });
});
