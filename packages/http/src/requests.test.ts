import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, sample, type TestApp, tokenOf } from './fixtures/test-app.ts';
import { type Client, transports } from './fixtures/transports.ts';

describe.each(transports)('every request over %s', (_name, open) => {
  let test: TestApp;
  let client: Client;
  beforeAll(async () => {
    test = await createTestApp();
    client = await open(test.app);
  });
  afterAll(async () => {
    await client.close();
    await test.app.host.stop(0);
  });

  const list = (headers: Record<string, string>, path = '/functions') =>
    client.send('GET', path, { headers, as: null });

  it('requires credentials, even on unknown paths', async () => {
    for (const path of ['/functions', '/functions/x', '/nothing', '/v1/chat/completions', '/.env', '//functions']) {
      const { json, headers } = await list({}, path);
      expect(json, path).toMatchObject({ status: 401, code: 'unauthenticated' });
      expect(headers.get('www-authenticate')).toBe('Bearer realm="patchbay"');
    }
    expect((await client.send('PATCH', '/functions', { as: null })).status).toBe(401);
    expect((await client.send('GET', '/nothing')).json.code).toBe('route_not_found');
    expect((await client.send('GET', '/functions/')).json.code).toBe('route_not_found');
  });

  it('accepts a token as Bearer in any case or as x-api-key', async () => {
    const token = tokenOf('admin');
    for (const headers of [
      { authorization: `bearer ${token}` },
      { authorization: `BEARER  ${token} ` },
      { 'x-api-key': token },
    ]) {
      expect((await list(headers as Record<string, string>)).status).toBe(200);
    }
  });

  it.each([
    ['Basic YTpi', 'invalid_token'],
    ['Bearer', 'invalid_token'],
    ['Bearer ', 'invalid_token'],
    ['Bearer a b', 'invalid_token'],
    [`Bearer ${'x'.repeat(8_193)}`, 'invalid_token'],
    [`Bearer nobody`, 'invalid_token'],
    [`Bearer expired`, 'token_expired'],
  ])('refuses Authorization: %.20s', async (authorization, code) => {
    const { json, headers } = await list({ authorization });
    expect(json).toMatchObject({ status: 401, code });
    expect(headers.get('www-authenticate')).toBe('Bearer realm="patchbay", error="invalid_token"');
    expect(JSON.stringify(json)).not.toContain('nobody');
  });

  it('refuses two different tokens, and tokens in the query', async () => {
    const token = tokenOf('admin');
    const both = (apiKey: string) => list({ authorization: `Bearer ${token}`, 'x-api-key': apiKey });
    expect((await both(token)).status).toBe(200);
    expect((await both(tokenOf('stranger'))).json).toMatchObject({ status: 400, code: 'invalid_request' });
    for (const name of ['access_token', 'api_key']) {
      const answer = await client.send('GET', `/functions?limit=1&${name}=${token}`);
      expect(answer.json).toMatchObject({ status: 400, code: 'invalid_request' });
      expect(answer.text).not.toContain(token);
    }
  });

  it('requires the scope of its operation', async () => {
    expect((await client.send('GET', '/functions', { as: 'reader' })).status).toBe(200);
    const { json, headers } = await client.send('POST', '/functions', { as: 'reader', body: sample });
    expect(json).toMatchObject({ status: 403, code: 'insufficient_scope', scope: 'functions:write' });
    expect(headers.get('www-authenticate')).toContain('error="insufficient_scope", scope="functions:write"');
    const execute = await client.send('POST', '/functions/x/execute', { as: 'reader', body: { input: {} } });
    expect(execute.status).toBe(403);
  });

  it('receives the allowed methods of a path', async () => {
    for (const [method, path, allow] of [
      ['PATCH', '/functions/x', 'GET, HEAD, PUT, DELETE'],
      ['OPTIONS', '/functions', 'GET, HEAD, POST'],
      ['POST', '/healthz', 'GET, HEAD'],
    ] as const) {
      const { json, headers } = await client.send(method, path);
      expect(json).toMatchObject({ status: 405, code: 'method_not_allowed' });
      expect(headers.get('allow')).toBe(allow);
    }
  });

  it('with HEAD gets the response of GET without the body', async () => {
    const get = await client.send('GET', '/functions');
    const head = await client.send('HEAD', '/functions');
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
    expect((await client.send('HEAD', '/nothing')).status).toBe(404);
  });

  it('returns no CORS headers by default', async () => {
    const { headers } = await client.send('GET', '/functions', { headers: { origin: 'https://example.com' } });
    expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('receives a new id, whatever the caller sends', async () => {
    const sent = { 'request-id': 'request_forged', 'x-request-id': 'forged' };
    const ids = await Promise.all(
      [1, 2].map(async () => (await client.send('GET', '/functions', { headers: sent })).headers.get('request-id')),
    );
    expect(new Set([...ids, 'request_forged']).size).toBe(3);
  });

  it('logs one line without its path, body or token', async () => {
    const secret = 'a-name-nobody-may-see';
    const { headers } = await client.send('GET', `/functions/${secret}`);
    const entries = test.log.filter(({ requestId }) => requestId === headers.get('request-id'));
    expect(entries).toMatchObject([
      {
        level: 'info',
        message: 'request',
        method: 'GET',
        route: '/functions/:id',
        status: 404,
        tenant: 'acme',
        caller: 'key_acme_1',
      },
    ]);
    expect(entries[0]?.['ms']).toBeGreaterThanOrEqual(0);
    const text = JSON.stringify(test.log);
    expect(text).not.toContain(secret);
    expect(text).not.toContain(tokenOf('admin'));
  });

  it.each([
    ['text/plain', 'unsupported_media_type'],
    ['application/x-www-form-urlencoded', 'unsupported_media_type'],
    ['application/jsonp', 'unsupported_media_type'],
    ['application/merge-patch+json', 'unsupported_media_type'],
    ['application/json; charset=latin1', 'unsupported_media_type'],
    ['application/json; charset="utf-16"', 'unsupported_media_type'],
    ['application/json; charset=UTF-8', 'invalid_request'],
    ['APPLICATION/JSON;charset="utf-8"', 'invalid_request'],
  ])('checks the content type of its body: %s', async (type, code) => {
    const answer = await client.send('POST', '/functions', { body: {}, headers: { 'content-type': type } });
    expect(answer.json.code).toBe(code);
  });

  it('rejects a compressed body', async () => {
    const answer = await client.send('POST', '/functions', { body: sample, headers: { 'content-encoding': 'gzip' } });
    expect(answer.json).toMatchObject({ status: 415, code: 'unsupported_media_type' });
  });

  const brackets = (count: number) => '['.repeat(count) + ']'.repeat(count);
  it.each([
    ['nothing', '', 'invalid_json'],
    ['blanks', '  ', 'invalid_json'],
    ['half a document', '{"name":', 'invalid_json'],
    ['two documents', '{} {}', 'invalid_json'],
    ['single quotes', "{'a':1}", 'invalid_json'],
    ['NaN', '{"a":NaN}', 'invalid_json'],
    ['a number beyond doubles', '{"a":1e999}', 'invalid_json'],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'invalid_json'],
    ['UTF-16', Buffer.from('{"a":1}', 'utf16le'), 'invalid_json'],
    ['a cut character', Buffer.from('"é"').subarray(0, 2), 'invalid_json'],
    ['64 levels', brackets(64), 'invalid_request'],
    ['65 levels', brackets(65), 'too_deep'],
    ['half a million levels', brackets(500_000), 'too_deep'],
    ['half a million open brackets', '['.repeat(1_000_000), 'too_deep'],
    ['100,001 values', `[${'1,'.repeat(99_999)}1]`, 'too_deep'],
    ['a NUL', '{"name":"a\\u0000"}', 'unsupported_unicode'],
    ['a NUL in a key', '{"a\\u0000":1}', 'unsupported_unicode'],
    ['a lone surrogate', '{"name":"\\ud800"}', 'unsupported_unicode'],
    ['a lone surrogate in a key', '{"\\udc00":1}', 'unsupported_unicode'],
    ['the escape of a backslash', '{"name":"\\\\u0000"}', 'invalid_request'],
    ['a pair of surrogates', '{"name":"\\ud83d\\ude00"}', 'invalid_request'],
    ['null', 'null', 'invalid_request'],
    ['a list', '[]', 'invalid_request'],
    ['a byte order mark', '\uFEFF{}', 'invalid_request'],
  ])('checks the JSON of its body: %s', async (_what, raw, code) => {
    const { json } = await client.send('POST', '/functions', { raw });
    expect(json.code).toBe(code);
  });

  it('reports the position of invalid JSON without quoting it', async () => {
    const answer = await client.send('POST', '/functions', { raw: '{\n  "password": hunter2\n}' });
    expect(answer.text).not.toContain('hunter');
    expect((await client.send('POST', '/functions', { raw: '{"a":1\n"b":2}' })).json.detail).toContain(
      'line 2, column 1',
    );
    const { json } = await client.send('POST', '/functions', { raw: '{"input":{"a":["\\u0000"]}}' });
    expect(json.errors).toMatchObject([{ pointer: '/input/a/0' }]);
  });

  it('reports a bounded number of faults, even for a large body', async () => {
    const fields = Object.fromEntries(Array.from({ length: 4_000 }, (_, index) => [`field${index}`, 1]));
    expect((await client.send('POST', '/functions', { body: fields })).json.errors).toHaveLength(50);
    const more = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`f${index}`, 1]));
    expect((await client.send('POST', '/functions', { body: more })).json.errors).toHaveLength(1);
    const query = Array.from({ length: 200 }, (_, index) => `q${index}=1`).join('&');
    expect((await client.send('GET', `/functions?${query}`)).json.errors).toHaveLength(50);
  });

  it('limits the size of the body', async () => {
    const answer = await client.send('POST', '/functions', { raw: `{"code":"${'x'.repeat(1_048_576)}"}` });
    expect(answer.json).toMatchObject({ status: 413, code: 'body_too_large' });
    const largest = `{"code":"${'x'.repeat(1_048_565)}"}`;
    expect((await client.send('POST', '/functions', { raw: largest })).json.code).toBe('invalid_request');
  });

  it('rejects a body on an endpoint without one', async () => {
    const answer = await client.send('DELETE', '/functions/x', { raw: '{}' });
    expect(answer.json).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  it('limits the length of the target', async () => {
    const answer = await client.send('GET', `/functions?cursor=${'x'.repeat(8_200)}`);
    expect(answer.json).toMatchObject({ status: 414, code: 'uri_too_long' });
  });
});

describe.each(transports)('the system over %s', (_name, open) => {
  it('reports readiness alone, and rejects requests while it stops', async () => {
    const test = await createTestApp();
    const client = await open(test.app);
    const { id } = (await client.send('POST', '/functions', { body: { ...sample, code: 'wait' } })).json;
    expect((await client.send('GET', '/healthz?probe=1', { as: null })).json).toEqual({ status: 'ok' });
    expect((await client.send('GET', '/readyz', { as: null })).json).toEqual({ status: 'ok' });

    const waiting = test.nextWaiting();
    const execution = client.send('POST', `/functions/${id}/execute`, { body: { input: { text: 'a' } } });
    await waiting;
    const stopped = test.app.host.stop(50);
    expect(await client.send('GET', '/readyz', { as: null })).toMatchObject({
      status: 503,
      json: { status: 'draining' },
    });
    expect((await client.send('GET', '/healthz', { as: null })).status).toBe(200);
    const refused = await client.send('GET', '/functions');
    expect(refused.json).toMatchObject({ status: 503, code: 'shutting_down', retryable: true });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await execution).json).toMatchObject({ status: 503, code: 'shutting_down' });
    await stopped;
    await client.close();
  });

  it('can be moved under a base path by area or as a whole', async () => {
    const test = await createTestApp();
    const byArea = await open(test.app, { basePath: { functions: '/api/v1' } });
    const made = await byArea.send('POST', '/api/v1/functions', { body: sample });
    expect(made.headers.get('location')).toBe(`/api/v1/functions/${made.json.id}`);
    expect((await byArea.send('GET', '/functions')).status).toBe(404);
    expect((await byArea.send('GET', '/healthz')).status).toBe(200);
    const document = (await byArea.send('GET', '/openapi.json')).json;
    expect(Object.keys(document.paths)).toContain('/api/v1/functions/{id}');
    const whole = await open(test.app, { basePath: '/patchbay' });
    expect((await whole.send('GET', '/patchbay/readyz', { as: null })).status).toBe(200);
    expect((await whole.send('GET', '/patchbay/functions')).status).toBe(200);
    await expect(open(test.app, { basePath: '/slash/' })).rejects.toThrow('basePath must be');
    await Promise.all([byArea.close(), whole.close(), test.app.host.stop(0)]);
  });
});
