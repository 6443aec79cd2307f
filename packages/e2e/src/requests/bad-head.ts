import { describe, expect, it } from 'vitest';
import { expectProblem } from '../driver/expect-problem.ts';
import { rawAnswer } from '../driver/raw-answer.ts';
import { echo } from '../driver/sample-functions.ts';
import { type Answer, adminKey } from '../driver/server-process.ts';
import type { ServerInUse } from '../driver/use-server.ts';

/** Methods, credentials, targets and headers. */
export function badHeadSuite(server: ServerInUse): void {
  const key = `Authorization: Bearer ${adminKey}`;
  const raw = (line: string, ...headers: string[]): Promise<Answer> =>
    rawAnswer(
      server.process.port,
      `${[`${line} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`,
    );

  describe('methods', () => {
    it.each([
      ['PATCH', '/functions', 'GET, HEAD, POST'],
      ['PUT', '/functions', 'GET, HEAD, POST'],
      ['DELETE', '/functions', 'GET, HEAD, POST'],
      ['OPTIONS', '/functions', 'GET, HEAD, POST'],
      ['TRACE', '/functions', 'GET, HEAD, POST'],
      ['QUERY', '/functions', 'GET, HEAD, POST'],
      ['POST', '/functions/x', 'GET, HEAD, PUT, DELETE'],
      ['PATCH', '/functions/x', 'GET, HEAD, PUT, DELETE'],
      ['GET', '/functions/x/execute', 'POST'],
      ['PUT', '/executions/x', 'GET, HEAD, DELETE'],
      ['POST', '/functions/x/versions', 'GET, HEAD'],
      ['POST', '/healthz', 'GET, HEAD'],
      ['DELETE', '/openapi.json', 'GET, HEAD'],
    ])('%s %s', async (method, path, allow) => {
      const answer = await raw(`${method} ${path}`, key);
      expectProblem(answer, 'method_not_allowed');
      expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(allow.split(', ').sort());
    });

    it.each(['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'])('%s changes nothing', async (header) => {
      const { body } = await server.ask('POST', '/functions', echo);
      expect((await raw(`GET /functions/${String(body['id'])}`, key, `${header}: DELETE`)).body).toEqual(body);
      expectProblem(await raw(`POST /functions/${String(body['id'])}`, key, `${header}: DELETE`), 'method_not_allowed');
      expectProblem(await raw(`GET /functions/${String(body['id'])}?_method=DELETE`, key), 'invalid_request');
      expect((await server.ask('GET', `/functions/${String(body['id'])}`)).status).toBe(200);
    });

    it('HEAD has the head of GET and no body', async () => {
      const [head, get] = [await raw('HEAD /functions', key), await raw('GET /functions', key)];
      expect([head.status, head.body['text'] ?? '']).toEqual([200, '']);
      expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
    });
  });

  describe('credentials', () => {
    const garbled = `pbk_live_${'0'.repeat(12)}_${'0'.repeat(38)}`;

    it.each([
      ['none', [], 'unauthenticated'],
      ['an empty header', ['Authorization:'], 'invalid_token'],
      ['a scheme alone', ['Authorization: Bearer'], 'invalid_token'],
      ['another scheme', ['Authorization: Basic YTpi'], 'invalid_token'],
      ['no scheme', [`Authorization: ${adminKey}`], 'invalid_token'],
      ['an unknown token', ['Authorization: Bearer nobody'], 'invalid_token'],
      ['a key that starts right', [`Authorization: Bearer ${adminKey}x`], 'invalid_token'],
      ['a key cut short', [`Authorization: Bearer ${adminKey.slice(0, -1)}`], 'invalid_token'],
      ['a garbled key', [`Authorization: Bearer ${garbled}`], 'invalid_token'],
      ['three dots', ['Authorization: Bearer eyJhbGciOiJub25lIn0.e30.'], 'invalid_token'],
      ['bytes that are no token', ['Authorization: Bearer \u00e4\u00f6\u00fc'], 'invalid_token'],
      ['blanks within', [`Authorization: Bearer ${adminKey} ${adminKey}`], 'invalid_token'],
      ['a very long one', [`Authorization: Bearer ${'x'.repeat(10_000)}`], 'invalid_token'],
      ['an empty x-api-key', ['x-api-key:'], 'invalid_token'],
      ['two headers with different keys', [key, 'x-api-key: nobody'], 'invalid_request'],
      ['Authorization twice', [key, key], 'invalid_request'],
      ['two different ones', ['Authorization: Bearer nobody', key], 'invalid_request'],
      ['x-api-key twice', [`x-api-key: ${adminKey}`, `X-API-Key: ${adminKey}`], 'invalid_request'],
    ] as const)('%s', async (_, headers, code) => {
      const answer = await raw('GET /functions', ...headers);
      expectProblem(answer, code);
      expect(answer.headers.get('www-authenticate') !== null).toBe(answer.status === 401);
      expect(JSON.stringify(answer.body)).not.toContain(adminKey.slice(0, 20));
    });

    it.each(['access_token', 'api_key', 'apikey', 'x-api-key'])('?%s=', async (name) => {
      expectProblem(await raw(`GET /functions?${name}=${adminKey}`), 'invalid_request');
      expectProblem(await raw(`GET /functions?limit=1&${name}=${adminKey}`, key), 'invalid_request');
    });

    it('take precedence over every other error', async () => {
      for (const line of [
        'GET /nothing',
        'PATCH /functions',
        'GET /functions/x',
        'GET /functions?limit=x',
        'POST /functions',
      ]) {
        expectProblem(await raw(line), 'unauthenticated');
      }
    });

    it('appear in no log', async () => {
      await raw(`GET /functions?access_token=${adminKey}`);
      await raw(`GET /${adminKey}`, key);
      expect(JSON.stringify(server.process.log) + server.process.errors()).not.toContain(adminKey);
    });
  });

  describe('targets', () => {
    it.each([
      ['GET http://127.0.0.1/functions', 'invalid_request'],
      ['GET https://example.com/functions', 'invalid_request'],
      ['OPTIONS *', 'invalid_request'],
      ['GET functions', 'invalid_request'],
      ['GET /functions/', 'route_not_found'],
      ['GET //functions', 'route_not_found'],
      ['GET /Functions', 'route_not_found'],
      ['GET /%66unctions', 'route_not_found'],
      ['GET /functions;a=b', 'route_not_found'],
      ['GET /./functions', 'route_not_found'],
      ['GET /x/../functions', 'route_not_found'],
      ['GET /functions%2f', 'route_not_found'],
      ['GET /functions#x', 'invalid_request'],
      ['GET /functions?limit=1#x', 'invalid_request'],
      ['GET /__proto__', 'route_not_found'],
      ['GET /', 'route_not_found'],
      [`GET /functions/${'x'.repeat(8_200)}`, 'uri_too_long'],
      [`GET /functions?limit=${'1'.repeat(8_200)}`, 'uri_too_long'],
      [`GET /${'x'.repeat(17_000)}`, 'headers_too_large'],
    ] as const)('%s', async (line, code) => {
      expectProblem(await raw(line, key), code);
    });
  });

  describe('headers', () => {
    it('more than 16 KiB', async () => {
      expectProblem(await raw('GET /functions', key, `X-A: ${'x'.repeat(17_000)}`), 'headers_too_large');
      const many = Array.from({ length: 3_000 }, (_, index) => `X-${index}: 1`);
      expectProblem(await raw('GET /functions', key, ...many), 'headers_too_large');
    });

    it('that lie about the body', async () => {
      const post = ['Content-Type: application/json', key];
      expectProblem(
        await raw('POST /functions', ...post, 'Content-Length: 2', 'Transfer-Encoding: chunked'),
        'invalid_request',
      );
      expectProblem(await raw('POST /functions', ...post, 'Content-Length: 2', 'Content-Length: 3'), 'invalid_request');
      expectProblem(await raw('POST /functions', ...post, 'Content-Length: -1'), 'invalid_request');
      expectProblem(await raw('GET /functions', key, 'Content-Length: 99999999999'), 'invalid_request');
      expectProblem(await raw('POST /functions', ...post, 'Content-Length: 99999999999'), 'body_too_large');
      expectProblem(await raw('POST /functions', ...post, 'Content-Length: 0'), 'invalid_json');
    });

    it('that claim another identity', async () => {
      const answer = await raw(
        'GET /functions',
        key,
        'X-Forwarded-For: 1.2.3.4',
        'X-Forwarded-Host: evil',
        'X-Original-URL: /healthz',
      );
      expect([answer.status, answer.body['data']]).toEqual([200, expect.any(Array)]);
    });

    it('of a trace that is none', async () => {
      expect((await raw('GET /functions', key, 'traceparent: x', 'tracestate: =')).status).toBe(200);
    });
  });
}
