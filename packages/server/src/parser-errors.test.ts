import { openSocket, rawRequest, readAll } from '@patchbay/http/fixtures/raw-request';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorization, startTestServer, type TestServer } from './fixtures/test-server.ts';

const host = 'Host: localhost';
const get = `GET /functions HTTP/1.1\r\n${host}\r\n${authorization}\r\n`;
const post = `POST /functions HTTP/1.1\r\n${host}\r\n${authorization}\r\nContent-Type: application/json\r\n`;

describe('invalid bytes on a connection', () => {
  let test: TestServer;
  beforeAll(async () => {
    test = await startTestServer({ headersTimeoutMs: 300, requestTimeoutMs: 400 });
  });
  afterAll(() => test.server.close());

  /** Status and code of the only response, if everything about it is correct. */
  function problemIn(answer: string): { status: number; code: string } | string {
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    const { status, code, requestId } = JSON.parse(body) as { status: number; code: string; requestId: string };
    const common = [`Request-Id: ${requestId}`, 'Patchbay-Version: ', 'Cache-Control: no-store'];
    const parts = ['Content-Type: application/problem+json', ...common, `HTTP/1.1 ${status} `];
    const complete = parts.every((part) => head.includes(part)) && /\r\nconnection: close/i.test(head);
    const isOnly = answer.match(/HTTP\/1\.1 /g)?.length === 1;
    return complete && isOnly ? { status, code } : answer;
  }

  it.each([
    ['bytes that are not HTTP', '\x16\x03\x01\x02\x00\r\n\r\n'],
    ['an unknown method', `BREW /pot HTTP/1.1\r\n${host}\r\n\r\n`],
    ['a header without a colon', `${get}nonsense\r\n\r\n`],
    ['a blank before the colon', `${get}Content-Length : 5\r\n\r\n`],
    ['a folded header', `${get}X-A: 1\r\n folded\r\n\r\n`],
    ['a line feed alone', `GET /functions HTTP/1.1\n${host}\n\n`],
    ['a NUL in a header', `${get}X-A: \0\r\n\r\n`],
    ['two lengths', `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
    ['a length and chunks', `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['a length that is no number', `${post}Content-Length: +2\r\n\r\n{}`],
    ['an unknown transfer coding', `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['chunked, but not last', `${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
    ['a chunk size that is no number', `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`],
    ['a chunk that is longer than it says', `${post}Transfer-Encoding: chunked\r\n\r\n2\r\n{}}}\r\n0\r\n\r\n`],
  ])('are refused with 400: %s', async (_what, bytes) => {
    expect(problemIn(await rawRequest(test.port, bytes))).toEqual({ status: 400, code: 'invalid_request' });
  });

  it('are refused with 400 for no Host, and for two', async () => {
    expect(problemIn(await rawRequest(test.port, 'GET /readyz HTTP/1.1\r\nConnection: close\r\n\r\n'))).toEqual({
      status: 400,
      code: 'invalid_request',
    });
    const two = `GET /readyz HTTP/1.1\r\n${host}\r\n${host}\r\nConnection: close\r\n\r\n`;
    expect(problemIn(await rawRequest(test.port, two))).toEqual({ status: 400, code: 'invalid_request' });
  });

  it('are refused with 431 if the head is too large', async () => {
    expect(problemIn(await rawRequest(test.port, `${get}X-A: ${'x'.repeat(20_000)}\r\n\r\n`))).toEqual({
      status: 431,
      code: 'headers_too_large',
    });
    expect(problemIn(await rawRequest(test.port, `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n\r\n`))).toEqual({
      status: 431,
      code: 'headers_too_large',
    });
  });

  it('sees the last of very many headers', async () => {
    const many = Array.from({ length: 2_200 }, (_, index) => `a:${index % 10}\r\n`).join('');
    const answer = await rawRequest(test.port, `${get}Connection: close\r\n${many}${authorization}\r\n\r\n`);
    expect(problemIn(answer)).toEqual({ status: 400, code: 'invalid_request' });
  });

  it('are refused with 408 if a head or a body does not arrive in time', async () => {
    expect(problemIn(await rawRequest(test.port, get))).toEqual({ status: 408, code: 'request_timeout' });
    expect(problemIn(await rawRequest(test.port, `${post}Content-Length: 10\r\n\r\n{`))).toEqual({
      status: 408,
      code: 'request_timeout',
    });
  });

  it('are refused with 405 for CONNECT', async () => {
    expect(problemIn(await rawRequest(test.port, `CONNECT example.com:443 HTTP/1.1\r\n${host}\r\n\r\n`))).toEqual({
      status: 405,
      code: 'method_not_allowed',
    });
  });

  it('Upgrade and unknown expectations are ignored', async () => {
    for (const header of [
      'Upgrade: websocket\r\nConnection: Upgrade, close',
      'Expect: a miracle\r\nConnection: close',
    ]) {
      const answer = await rawRequest(test.port, `${get}${header}\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    }
  });

  it('do not cut off the response to the request before them', async () => {
    const answer = await rawRequest(test.port, `${get}\r\n\0\0garbage\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('"meta":{"total":0');
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });

  it('a client that leaves within a head or a body is not a failure', async () => {
    for (const bytes of [get, `${post}Content-Length: 10\r\n\r\n{`]) {
      const socket = await openSocket(test.port);
      socket.write(bytes);
      socket.end();
      await readAll(socket);
    }
    expect((await test.send('GET', '/functions')).status).toBe(200);
    expect(test.log.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('a server that was paused beyond its timeouts', () => {
  const timeouts = { headersTimeoutMs: 1_500, requestTimeoutMs: 1_500 };
  const body = JSON.stringify({
    name: 'late',
    input: { type: 'object' },
    output: { type: 'object' },
    code: '() => ({})',
  });
  const close = 'Connection: close\r\n';

  it.each([
    ['a head that waits in its socket', 200, [get, `${close}\r\n`]],
    [
      'a body that waits in its socket',
      201,
      [`${post}${close}Content-Length: ${body.length}\r\n\r\n${body.slice(0, 9)}`, body.slice(9)],
    ],
    ['a body of which only a part does', 408, [`${post}Content-Length: 900\r\n\r\n${body.slice(0, 9)}`, body.slice(9)]],
  ])('responds to %s with %i', async (_what, status, [first = '', rest = '']) => {
    const test = await startTestServer(timeouts);
    const socket = await openSocket(test.port);
    socket.write(first);
    // Its connection came later, so the first bytes of the other one have been read by then.
    expect((await test.send('GET', '/functions')).status).toBe(200);
    socket.write(rest);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_600);
    expect(await readAll(socket)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    await test.server.close();
  });
});
