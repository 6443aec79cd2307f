import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openSocket } from './fixtures/raw-request.ts';
import { scriptedProvider } from './fixtures/scripted-provider.ts';
import { createTestApp, type TestApp, tokenOf } from './fixtures/test-app.ts';
import { type Answer, type Client, type SendOptions, transports, transportsOfServices } from './fixtures/transports.ts';
import { createNodeListener } from './node/node-listener.ts';

const model = 'test/large';
const say = (content: string) => [{ role: 'user', content }];

/** The endpoints, a request that each accepts, and the API that defines its errors. */
const endpoints = [
  { path: '/v1/chat/completions', body: { model, messages: say('hello') }, api: 'openai' },
  { path: '/v1/responses', body: { model, input: 'hello' }, api: 'openai' },
  { path: '/v1/embeddings', body: { model: 'test/embed', input: 'hello' }, api: 'openai' },
  { path: '/v1/messages', body: { model, max_tokens: 9, messages: say('hello') }, api: 'anthropic' },
  { path: '/v1/messages/count_tokens', body: { model, messages: say('hello') }, api: 'anthropic' },
] as const;

type Api = (typeof endpoints)[number]['api'];

interface Refusal {
  readonly what: string;
  readonly send: SendOptions;
  readonly query?: string;
  readonly status: number;
  readonly openai: string;
  readonly anthropic: string;
}

const invalid = { status: 400, anthropic: 'invalid_request_error' } as const;
const refusals: readonly Refusal[] = [
  {
    what: 'without a key',
    send: { as: null },
    status: 401,
    openai: 'invalid_api_key',
    anthropic: 'authentication_error',
  },
  {
    what: 'with a key that is not known',
    send: { headers: { authorization: 'Bearer nothing' } },
    status: 401,
    openai: 'invalid_api_key',
    anthropic: 'authentication_error',
  },
  {
    what: 'with two keys',
    send: { headers: { 'x-api-key': 'another' } },
    ...invalid,
    openai: 'invalid_request',
  },
  {
    what: 'without the scope',
    send: { as: 'reader' },
    status: 403,
    openai: 'insufficient_scope',
    anthropic: 'permission_error',
  },
  { what: 'with a key in the query', send: {}, query: '?api_key=abc', ...invalid, openai: 'invalid_request' },
  { what: 'with an unknown parameter', send: {}, query: '?verbose=1', ...invalid, openai: 'invalid_value' },
  {
    what: 'with a target that is too long',
    send: {},
    query: `?${'a'.repeat(9_000)}`,
    status: 414,
    openai: 'uri_too_long',
    anthropic: 'invalid_request_error',
  },
  { what: 'without a body', send: { raw: '' }, ...invalid, openai: 'invalid_json' },
  { what: 'with half a body', send: { raw: '{"model":' }, ...invalid, openai: 'invalid_json' },
  { what: 'with a list', send: { raw: '[]' }, ...invalid, openai: 'invalid_request' },
  {
    what: 'with a member twice',
    send: { raw: '{"model":"a","mod\\u0065l":"b"}' },
    ...invalid,
    openai: 'invalid_value',
  },
  {
    what: 'with a body of another type',
    send: { raw: 'model=a', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    status: 415,
    openai: 'unsupported_media_type',
    anthropic: 'invalid_request_error',
  },
  {
    what: 'with a body over the limit',
    send: { raw: ' '.repeat(32 * 1_048_576 + 1) },
    status: 413,
    openai: 'body_too_large',
    anthropic: 'request_too_large',
  },
];

const cases = endpoints.flatMap((endpoint) => refusals.map((refusal) => ({ ...endpoint, ...refusal })));

function expectRefusal({ status, headers, json }: Answer, api: Api, [expected, name]: readonly [number, string]) {
  const requestId = headers.get('request-id');
  const message = expect.any(String);
  const bodies = {
    openai: { error: { message, type: expect.any(String), param: json.error.param ?? null, code: name } },
    anthropic: { type: 'error', error: { type: name, message }, request_id: requestId },
  };
  expect({ status, json }).toEqual({ status: expected, json: bodies[api] });
  expect(headers.get('content-type')).toBe('application/json');
  expect(headers.get('x-should-retry')).toMatch(/^(?:true|false)$/);
  expect(headers.get('x-request-id')).toBe(api === 'openai' ? requestId : null);
}

describe.each(transports)('the compatible endpoints over %s', (_name, open) => {
  let test: TestApp;
  let client: Client;
  beforeAll(async () => {
    test = await createTestApp({ providers: { test: { use: scriptedProvider } } });
    client = await open(test.app);
  });
  afterAll(async () => {
    await client.close();
    await test.app.host.stop(0);
  });

  it.each(cases)(
    '$path refuses a request $what in its own format',
    async ({ path, body, send, query = '', ...expected }) => {
      const answer = await client.send('POST', path + query, { ...('raw' in send ? {} : { body }), ...send });
      expectRefusal(answer, expected.api, [expected.status, expected[expected.api]]);
      expect(answer.headers.get('www-authenticate') ?? '').toMatch(
        expected.status === 401 ? /^Bearer/ : /^$|insufficient_scope/,
      );
    },
  );
});

describe.each(transportsOfServices)('the compatible endpoints over %s', (_name, open) => {
  let test: TestApp;
  let client: Client;
  beforeEach(async () => {
    test = await createTestApp({ providers: { test: { use: scriptedProvider } } });
    client = await open(test.app);
  });
  afterEach(async () => {
    await client.close();
    await test.app.host.stop(0);
  });
  const complete = (content: string, more: object = {}) =>
    client.send('POST', '/v1/chat/completions', { body: { model, messages: say(content), ...more } });
  const respond = (content: string, more: object = {}) =>
    client.send('POST', '/v1/responses', { body: { model, input: content, ...more } });
  const message = (content: string, more: object = {}) =>
    client.send('POST', '/v1/messages', { body: { model, max_tokens: 9, messages: say(content), ...more } });

  it.each(endpoints)('$path reports an unknown model', async ({ path, body, api }) => {
    const answer = await client.send('POST', path, { body: { ...body, model: 'no/model' } });
    expectRefusal(answer, api, [404, api === 'openai' ? 'model_not_found' : 'not_found_error']);
  });

  it('hide the cause of a failure, and log it', async () => {
    const [completed, said] = [await complete('crash'), await message('crash')];
    expectRefusal(await respond('crash', { model: 'test/org/small' }), 'openai', [502, 'provider_error']);
    expectRefusal(completed, 'openai', [502, 'provider_error']);
    expectRefusal(said, 'anthropic', [502, 'api_error']);
    expect(completed.text + said.text).not.toContain('secret');
    expect(test.log.some(({ message: text }) => text === 'request failed')).toBe(true);
  });

  it('report that a vendor limits its rate, and when to retry', async () => {
    const [completed, said] = [await complete('busy'), await message('busy')];
    expectRefusal(await respond('busy'), 'openai', [429, 'rate_limit_exceeded']);
    expectRefusal(completed, 'openai', [429, 'rate_limit_exceeded']);
    expectRefusal(said, 'anthropic', [429, 'rate_limit_error']);
    for (const { headers } of [completed, said]) {
      expect(headers.get('retry-after')).toBe('7');
      expect(headers.get('x-should-retry')).toBe('true');
    }
  });

  it('report the call, its route and what was left out', async () => {
    const { headers, json } = await complete('hello', { reasoning_effort: 'max' });
    expect(headers.get('patchbay-call')).toBe(json.id);
    expect(json.id).toMatch(/^chat_/);
    expect(headers.get('patchbay-route')).toBe('named');
    expect(headers.get('patchbay-warning')).toMatch(/^"reasoning.effort .*max.*"$/);
    const streamed = await complete('hello', { metadata: { team: 'a' }, stream: true });
    expect(streamed.headers.get('patchbay-warning')).toMatch(/^"metadata [^"]+"$/);
    const plain = await message('hello');
    expect(plain.headers.get('patchbay-call')).toMatch(/^chat_/);
    expect(plain.headers.get('patchbay-warning')).toBeNull();
  });

  it('stream up to the terminal event that their clients wait for', async () => {
    const responded = await respond('hello there', { stream: true });
    expect(responded.text).toMatch(/event: response.completed\ndata: .*\n\ndata: \[DONE\]\n\n$/);
    const completed = await complete('hello there', { stream: true });
    expect(completed.headers.get('content-type')).toBe('text/event-stream');
    expect(completed.headers.get('patchbay-call')).toMatch(/^chat_/);
    expect(completed.text).toMatch(/data: \[DONE\]\n\n$/);
    expect((await message('hello there', { stream: true })).text).toMatch(/event: message_stop\ndata: .*\n\n$/);
  });

  it.each(['hello CUT', 'hello CRASH'])('never end a stream of %s like a complete one', async (content) => {
    const completed = await complete(content, { stream: true });
    expect(completed.text).not.toContain('[DONE]');
    expect(completed.text).toMatch(
      /\n\ndata: \{"error":\{"message":"[^"]+","type":"server_error","param":null,"code":"\w+"\}\}\n\n$/,
    );
    const { text, headers } = await message(content, { stream: true });
    expect(text).not.toContain('message_stop');
    const [, last = ''] = /event: error\ndata: (.*)\n\n$/.exec(text) ?? [];
    expect(JSON.parse(last)).toMatchObject({ type: 'error', request_id: headers.get('request-id') });
    const responded = await respond(content, { stream: true });
    expect(responded.text).not.toMatch(/response\.completed|\[DONE\]/);
    expect(responded.text).toMatch(
      /event: response.failed\ndata: .*"status":"failed".*\n\nevent: error\ndata: \{"type":"error","sequence_number":\d+,"code":"\w+".*\}\n\n$/,
    );
    expect(completed.text + text + responded.text).not.toContain('secret of the upstream');
  });

  it('keep the response to a request with a key, but not one that failed', async () => {
    const ask = (content: string, key: string) =>
      client.send('POST', '/v1/chat/completions', {
        body: { model, messages: say(content), stream: true },
        headers: { 'idempotency-key': key },
      });
    const first = await ask('hello there', 'k1');
    const again = await ask('hello there', 'k1');
    expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true']);
    expect(again.headers.get('x-request-id')).toBe(again.headers.get('request-id'));
    await ask('hello CUT', 'k2');
    expect((await ask('hello CUT', 'k2')).headers.get('idempotency-replayed')).toBeNull();
  });

  it('refuse to list models for Anthropic clients in their own format', async () => {
    const refused = { as: 'reader' } as const;
    expectRefusal(await client.send('GET', '/v1/models', refused), 'openai', [403, 'insufficient_scope']);
    const marked = { ...refused, headers: { 'anthropic-version': '2023-06-01' } };
    expectRefusal(await client.send('GET', '/v1/models', marked), 'anthropic', [403, 'permission_error']);
    const unknown = await client.send('GET', '/v1/models/no%2Fmodel', { headers: marked.headers });
    expectRefusal(unknown, 'anthropic', [404, 'not_found_error']);
  });
});

it('an exceeded limit is reported in the format of the endpoint, with the time to wait', async () => {
  const [[, open]] = transportsOfServices as [(typeof transportsOfServices)[0]];
  const rate = { requests: 1, seconds: 60, burst: 1 };
  const { app } = await createTestApp({
    limits: { key: { model: rate } },
    providers: { test: { use: scriptedProvider } },
  });
  const client = await open(app);
  for (const { path, body, api } of endpoints.filter((endpoint) => !endpoint.path.endsWith('count_tokens'))) {
    await client.send('POST', path, { body });
    const refused = await client.send('POST', path, { body });
    expectRefusal(refused, api, [429, api === 'openai' ? 'rate_limit_exceeded' : 'rate_limit_error']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  await client.close();
  await app.host.stop(0);
});

it('bodies that take up all of the body memory leave none for others until they are gone', async () => {
  const { app } = await createTestApp({
    limits: { bodyBytes: 1_048_576 },
    providers: { test: { use: scriptedProvider } },
  });
  const listener = createNodeListener(app);
  const server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const authorization = `Bearer ${tokenOf('admin')}`;
  const ask = () =>
    fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: say('hello '.repeat(40_000)) }),
    });
  // Not with requests, which would take the memory that the slow one still needs.
  const isRoomFor = (bytes: number): boolean => {
    const share = app.services.limits.openBody();
    try {
      share.take(bytes);
      return true;
    } catch {
      return false;
    } finally {
      share.leave();
    }
  };
  expect((await ask()).status).toBe(400);
  const slow = await openSocket(port);
  const head = [
    'POST /v1/chat/completions HTTP/1.1',
    'host: localhost',
    `authorization: ${authorization}`,
    'content-type: application/json',
    'content-length: 2000000',
  ];
  slow.write(`${head.join('\r\n')}\r\n\r\n${' '.repeat(1_000_000)}`);
  await expect.poll(() => isRoomFor(48_577)).toBe(false);
  const refused = await ask();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await refused.json()).toMatchObject({ error: { type: 'server_error', code: 'overloaded' } });
  slow.destroy();
  await expect.poll(() => isRoomFor(1_048_576)).toBe(true);
  expect((await ask()).status).toBe(400);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await app.host.stop(0);
});
