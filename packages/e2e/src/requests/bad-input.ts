import { beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../driver/expect-problem.ts';
import { echo } from '../driver/sample-functions.ts';
import { type Answer, adminKey } from '../driver/server-process.ts';
import type { ServerInUse } from '../driver/use-server.ts';

/** Bodies that are not what the API takes, each with its one documented answer. */
export function badInputSuite(server: ServerInUse): void {
  let execute: string;
  const post = (body: unknown, headers?: Record<string, string>): Promise<Answer> =>
    server.ask('POST', '/functions', body, headers);

  beforeAll(async () => {
    execute = `/functions/${String((await post(echo)).body['id'])}/execute`;
  });

  describe('a body that is not JSON', () => {
    it.each([
      ['nothing', ''],
      ['blanks', ' \n\t'],
      ['broken', '{"name": "a",'],
      ['a trailing comma', '{"name":"a",}'],
      ['single quotes', "{'name':'a'}"],
      ['two documents', '{} {}'],
      ['a comment', '{/* */}'],
      ['NaN', '{"name":NaN}'],
      ['a number beyond a double', '{"name":1e999}'],
      ['a raw NUL', '{"name":"a\0b"}'],
      ['a raw line feed in a string', '{"name":"a\nb"}'],
    ])('%s', async (_, body) => {
      expectProblem(await post(body), 'invalid_json');
    });

    it('fails with the position of the error and without its text', async () => {
      const answer = await post('{\n  "name": "secret",\n  oops\n}');
      expect(answer.body['detail']).toBe('the body is not valid JSON: see line 3, column 3');
      expect(JSON.stringify(answer.body)).not.toContain('secret');
    });

    it('that was cut is refused as ending too early', async () => {
      expect((await post('{"name":')).body['detail']).toBe('the body is not valid JSON: it ends too early');
    });

    it.each([
      ['UTF-16', Buffer.from('\ufeff{"name":"a"}', 'utf16le')],
      ['truncated UTF-8', Buffer.from([0x22, 0xe2, 0x82, 0x22])],
      ['overlong UTF-8', Buffer.from([0x22, 0xc0, 0x80, 0x22])],
      ['an encoded surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ])('%s', async (_, body) => {
      expectProblem(await post(body), 'invalid_json');
    });

    it('but a byte order mark is fine', async () => {
      expect((await post(`\ufeff${JSON.stringify(echo)}`)).status).toBe(201);
    });
  });

  describe('a body that is too much', () => {
    const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

    it.each([65, 1_000, 500_000])('%i levels', async (depth) => {
      expectProblem(await post(nested(depth)), 'too_deep');
      expectProblem(await server.ask('POST', execute, `{"input":{"a":${nested(depth)}}}`), 'too_deep');
    });

    it('64 levels are fine', async () => {
      const { status, body } = await server.ask('POST', execute, `{"input":{"a":${nested(62)}}}`);
      expect(status).toBe(200);
      expect(JSON.stringify(body['output'])).toBe(`{"a":${nested(62)}}`);
    });

    it('400,000 values', async () => {
      expectProblem(await post(`[${'0,'.repeat(400_000)}0]`), 'too_deep');
    });

    it('more than a MiB, announced or not', async () => {
      const body = JSON.stringify({ ...echo, description: 'x'.repeat(1_048_576) });
      expectProblem(await post(body), 'body_too_large');
      const chunks = ReadableStream.from([Buffer.from(body)]);
      const response = await fetch(`${server.process.url}/functions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': adminKey },
        body: chunks,
        duplex: 'half',
      } as RequestInit);
      expectProblem(
        { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] },
        'body_too_large',
      );
    });
  });

  describe('a text that not every store can keep', () => {
    it.each([
      ['a NUL', '"\\u0000"', '/name'],
      ['a lone high surrogate', '"a\\ud800b"', '/name'],
      ['a lone low surrogate', '"\\udc00"', '/name'],
      ['a pair the wrong way round', '"\\udc00\\ud800"', '/name'],
    ])('%s', async (_, name, pointer) => {
      expectProblem(await post(`{"name":${name}}`), 'unsupported_unicode', pointer);
      expectProblem(
        await server.ask('POST', execute, `{"input":{"a":[${name}]}}`),
        'unsupported_unicode',
        '/input/a/0',
      );
      expectProblem(await server.ask('POST', execute, `{"input":{${name}:1}}`), 'unsupported_unicode', '/input/…');
    });

    it('but a pair, and an escaped backslash before u0000, are fine', async () => {
      const input = '{"a":"\\ud83d\\ude00","b":"\\\\u0000"}';
      const { status, body } = await server.ask('POST', execute, `{"input":${input}}`);
      expect([status, body['output']]).toEqual([200, { a: '😀', b: '\\u0000' }]);
    });
  });

  describe('a body of another kind', () => {
    it.each([
      ['text/plain', {}],
      ['application/x-www-form-urlencoded', {}],
      ['multipart/form-data; boundary=x', {}],
      ['application/jsonp', {}],
      ['application/json; charset=latin1', {}],
      ['application/json', { 'content-encoding': 'gzip' }],
      ['application/json', { 'content-encoding': 'br, identity' }],
    ])('%s %o', async (type, headers) => {
      expectProblem(await post('{}', { 'content-type': type, ...headers }), 'unsupported_media_type');
    });

    it('no type at all', async () => {
      const response = await fetch(`${server.process.url}${execute}`, {
        method: 'POST',
        headers: { 'x-api-key': adminKey },
        body: Buffer.from('{"input":{}}'),
      });
      expect([response.status, await response.json()]).toMatchObject([415, { code: 'unsupported_media_type' }]);
    });

    it('but parameters and upper case are fine', async () => {
      for (const type of ['Application/JSON', 'application/json;charset=UTF-8', 'application/json ; charset="utf-8"']) {
        expect((await post(echo, { 'content-type': type })).status).toBe(201);
      }
    });

    it('on an endpoint without one', async () => {
      const path = execute.replace('/execute', '');
      expectProblem(await server.ask('DELETE', path, {}), 'invalid_request');
      expect((await server.ask('GET', path)).status).toBe(200);
    });
  });

  describe('names that mean something to JavaScript', () => {
    it('pass through inputs and outputs as data', async () => {
      const input =
        '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":"x","a":{"__proto__":[]}}';
      const response = await fetch(`${server.process.url}${execute}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': adminKey },
        body: `{"input":${input}}`,
      });
      const text = await response.text();
      expect(response.status).toBe(200);
      expect(text).toContain(`"input":${input}`);
      expect(text).toContain(`"output":${input}`);
      const { id } = JSON.parse(text) as { id: string };
      const stored = await fetch(`${server.process.url}/executions/${id}`, {
        headers: { 'x-api-key': adminKey },
      });
      expect(await stored.text()).toBe(text);
      const own = 'export default () => ({ polluted: String({}.polluted), own: String(Object.prototype.polluted) })';
      const { body } = await post({ ...echo, code: own });
      const after = await server.ask('POST', `/functions/${String(body['id'])}/execute`, { input: {} });
      expect(after.body['output']).toEqual({ polluted: 'undefined', own: 'undefined' });
    });

    it('count as unknown fields in a body', async () => {
      const body = JSON.stringify(echo).replace('{', '{"__proto__":{"name":"x"},"constructor":1,');
      expectProblem(await post(body), 'invalid_request', '/__proto__', 'unknown_field');
      expectProblem(await post(body), 'invalid_request', '/constructor', 'unknown_field');
      expectProblem(
        await post('{"__proto__":{"name":"a","input":{},"output":{},"code":"x"}}'),
        'invalid_request',
        '/name',
        'required',
      );
    });

    it('of two equal keys, the last counts', async () => {
      expect((await post(JSON.stringify(echo).replace('{', '{"name":"First",'))).body['name']).toBe('Echo');
    });

    it('10,000 of them go through', async () => {
      const input = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`key ${index}`, index]));
      const { status, body } = await server.ask('POST', execute, { input });
      expect([status, body['output']]).toEqual([200, input]);
      expectProblem(await post(input), 'invalid_request');
    });
  });
}
