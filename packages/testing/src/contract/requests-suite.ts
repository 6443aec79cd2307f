import assert from 'node:assert/strict';
import type { ApiSuite } from './api-under-test.ts';
import { assertProblem } from './expect-answer.ts';
import { createFunction, createFunctionAt, summarize } from './sample-function.ts';

const MEGABYTE = 1_048_576;

/** Requirements of HTTP itself, including those that hosts tend to answer by themselves. */
export function requestsSuite({ describe, it }: ApiSuite): void {
  describe('a request', () => {
    it('without credentials gets 401 on every endpoint that has data', async (api) => {
      for (const [method, path] of [
        ['GET', '/functions'],
        ['GET', '/functions/x'],
        ['DELETE', '/functions/x'],
        ['GET', '/executions/x'],
        ['POST', '/functions'],
        ['POST', '/generate'],
        ['GET', '/models/a/b'],
      ] as const) {
        const answer = await api.ask(method, path, { token: null });
        assertProblem(answer, 401, 'unauthenticated');
        assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer/);
      }
      assertProblem(await api.ask('GET', '/functions', { token: 'of-nobody' }), 401, 'invalid_token');
    });

    it('to a path or with a method that is not there gets 404 and 405, with an id and the methods', async (api) => {
      assertProblem(await api.ask('GET', '/nothing/here'), 404, 'route_not_found');
      const wrong = await api.ask('PATCH', '/functions', { body: {} });
      assertProblem(wrong, 405, 'method_not_allowed');
      assert.equal(wrong.headers.get('allow'), 'GET, HEAD, POST');
      const options = await api.ask('OPTIONS', '/functions');
      assertProblem(options, 405, 'method_not_allowed');
      assert.equal(options.headers.get('allow'), 'GET, HEAD, POST');
    });

    it('with HEAD gets the head of GET', async (api) => {
      const path = await createFunctionAt(api);
      const got = await api.ask('GET', path);
      const head = await api.ask('HEAD', path);
      assert.deepEqual([head.status, head.text], [200, '']);
      for (const name of ['content-type', 'etag', 'cache-control']) {
        assert.equal(head.headers.get(name), got.headers.get(name), name);
      }
      assert.equal((await api.ask('HEAD', '/functions/x')).status, 404);
    });

    it('with a matching If-None-Match receives 304', async (api) => {
      const path = await createFunctionAt(api);
      const etag = (await api.ask('GET', path)).headers.get('etag') ?? '';
      const { status, text } = await api.ask('GET', path, { headers: { 'if-none-match': etag } });
      assert.deepEqual([status, text], [304, '']);
    });

    it('with a wrong type, invalid JSON or a wrong shape is refused with the fault', async (api) => {
      const send = (raw: string | Uint8Array, type = 'application/json') =>
        api.ask('POST', '/functions', { raw, headers: { 'content-type': type } });
      assertProblem(await send('{"name":'), 400, 'invalid_json');
      assertProblem(await send(new Uint8Array([0x22, 0xff, 0x22])), 400, 'invalid_json');
      assertProblem(await send(' '), 400, 'invalid_json');
      assertProblem(await send('['.repeat(100) + ']'.repeat(100)), 400, 'too_deep');
      assertProblem(await send('{"name":"\\u0000"}'), 400, 'unsupported_unicode');
      assertProblem(await send('{"name":7}'), 400, 'invalid_request', '/name');
      assertProblem(await send(JSON.stringify(summarize), 'text/plain'), 415, 'unsupported_media_type');
      assertProblem(await send('name=x', 'application/x-www-form-urlencoded'), 415, 'unsupported_media_type');
    });

    it('larger than the endpoint allows is refused, with or without an announced length', async (api) => {
      const code = "export default () => ({ summary: '', points: [] })";
      const path = await createFunctionAt(api, { input: { type: 'object' }, code });
      const bodyOf = (bytes: number) => `{"input":{"text":"${'x'.repeat(bytes - 21)}"}}`;
      const fits = await api.ask('POST', `${path}/execute`, { raw: bodyOf(MEGABYTE - 100) });
      assert.equal(fits.status, 200, fits.text.slice(0, 500));
      assertProblem(await api.ask('POST', `${path}/execute`, { raw: bodyOf(MEGABYTE + 1) }), 413, 'body_too_large');
      const unannounced = new Blob([bodyOf(MEGABYTE + 1)]).stream() as ReadableStream<Uint8Array>;
      assertProblem(await api.ask('POST', `${path}/execute`, { raw: unannounced }), 413, 'body_too_large');
    });

    it('arrives with every character', async (api) => {
      const name = 'Größe — 数 🙂 "\\/';
      const created = await createFunction(api, { name });
      assert.equal(created['name'], name);
      const { body } = await api.ask('GET', `/functions/${String(created['id'])}`);
      assert.equal(body['name'], name);
      assertProblem(await api.ask('GET', '/functions/%F0%9F%99%82'), 404, 'function_not_found');
      assertProblem(await api.ask('GET', '/functions?limit=many'), 400, 'invalid_request');
    });

    it('with a body on an endpoint without one is refused, and one without an optional body is accepted', async (api) => {
      const path = await createFunctionAt(api);
      assertProblem(await api.ask('DELETE', path, { body: {} }), 400, 'invalid_request');
      assert.equal((await api.ask('POST', `${path}/versions/1/restore`)).status, 200);
      assert.equal((await api.ask('POST', `${path}/versions/1/restore`, { body: {} })).status, 200);
    });
  });
}
