import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedProvider, switchedOffProvider } from './fixtures/scripted-provider.ts';
import { createTestApp, type TestApp } from './fixtures/test-app.ts';
import { type Client, transports } from './fixtures/transports.ts';

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const messages = [{ role: 'user', content: 'hello' }];
const weather = {
  name: 'weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

function events(text: string) {
  return text
    .split('\n\n')
    .filter(Boolean)
    .map((block) => {
      const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
      return { event, data: JSON.parse(data ?? '') };
    });
}

describe.each(transports)('the gateway over %s', (_name, open) => {
  let test: TestApp;
  let client: Client;
  beforeAll(async () => {
    test = await createTestApp({ providers: { test: { use: scriptedProvider }, off: { use: switchedOffProvider } } });
    client = await open(test.app);
  });
  afterAll(async () => {
    await client.close();
    await test.app.host.stop(0);
  });
  const post = (path: string, body: object) => client.send('POST', path, { body });

  it('generates with exactly the documented fields', async () => {
    const { status, json, headers } = await post('/generate', { prompt: 'hello', model: 'test/large' });
    expect(status).toBe(200);
    expect(json).toEqual({
      id: expect.stringMatching(/^generation_/),
      text: 'HELLO',
      model: 'test/large',
      promptTokens: 6,
      completionTokens: 2,
      totalTokens: 8,
      createdAt: expect.stringMatching(timestamp),
      finishReason: 'stop',
    });
    expect(headers.get('patchbay-route')).toBe('named');
  });

  it('chats', async () => {
    const { json, headers } = await post('/chat', { messages, maxTokens: 5, temperature: 0.5 });
    expect(json).toMatchObject({
      message: { role: 'assistant', content: 'HELLO' },
      model: 'test/large',
      totalTokens: 8,
    });
    expect(json.id).toMatch(/^chat_/);
    expect(headers.get('patchbay-route')).toMatch(/^auto;candidates=2;reason="/);
  });

  it('accepts every option of a chat, and returns the tool calls', async () => {
    const options = { parallelToolCalls: false, stop: ['END'], seed: 7, reasoningEffort: 'low' };
    const { status, json } = await post('/chat', { messages, tools: [weather], toolChoice: 'required', ...options });
    expect([status, json.finishReason]).toEqual([200, 'tool-calls']);
    const call = { type: 'tool-call', id: '1', name: 'weather', arguments: { city: 'hello' } };
    expect(json.message).toEqual({ role: 'assistant', content: '', parts: [call] });
    const results = [{ role: 'tool', toolCallId: '1', content: [{ type: 'text', text: 'Snow.' }], isError: false }];
    const next = [...messages, json.message, ...results];
    const answer = await post('/chat', { messages: next, tools: [weather], toolChoice: 'none' });
    expect(answer.json.message).toEqual({ role: 'assistant', content: 'PARTS' });
  });

  it('returns a message in parts, which can be sent back unchanged', async () => {
    const asked = [{ role: 'user', content: 'all parts' }];
    const { json } = await post('/chat', { messages: asked, model: 'test/large' });
    const { content, parts } = json.message;
    expect(content).toBe('I look.');
    expect(parts.map(({ type }: { type: string }) => type)).toEqual([
      'reasoning',
      'text',
      'tool-call',
      'tool-call',
      'refusal',
    ]);
    expect(parts[0]).toEqual({ type: 'reasoning', text: 'Hm.', signature: 'c2ln', by: 'test/large' });
    const results = ['1', '2'].map((toolCallId) => ({ role: 'tool', toolCallId, content: 'Snow.' }));
    const again = await post('/chat', { messages: [...asked, json.message, ...results], model: 'test/large' });
    expect([again.status, again.json.message.content]).toEqual([200, 'SNOW.']);
  });

  it('streams every kind of part as a delta', async () => {
    const asked = [{ role: 'user', content: 'all parts' }];
    const { text } = await post('/chat', { messages: asked, model: 'test/large', stream: true });
    const sent = events(text);
    expect(sent.slice(1, -1)).toEqual(
      [
        { reasoning: 'Hm.' },
        { text: 'I look.' },
        { toolCall: { id: '1', name: 'weather', arguments: '{"city":' } },
        { toolCall: { id: '2', name: 'weather', arguments: '' } },
        { toolCall: { id: '1', name: 'weather', arguments: '"Bern"}' } },
        { refusal: 'No more.' },
      ].map((data) => ({ event: 'delta', data })),
    );
    expect(sent.at(-1)).toMatchObject({ event: 'done', data: { message: { content: 'I look.' } } });
    expect(sent.at(-1)?.data.message.parts).toHaveLength(5);
  });

  it('streams a call that comes whole as one delta', async () => {
    const { text } = await post('/chat', { messages, tools: [weather], stream: true });
    const toolCall = { id: '1', name: 'weather', arguments: '{"city":"hello"}' };
    expect(events(text)[1]).toEqual({ event: 'delta', data: { toolCall } });
  });

  it('embeds', async () => {
    const { json } = await post('/embeddings', { text: 'x' });
    expect(json).toEqual({
      id: expect.stringMatching(/^embedding_/),
      embedding: [0.6, 0.8],
      model: 'test/embed',
      tokens: 1,
      createdAt: expect.stringMatching(timestamp),
    });
  });

  it('shortens an embedding, and refuses a length below 1', async () => {
    expect((await post('/embeddings', { text: 'x', dimensions: 1 })).json).toMatchObject({ embedding: [0.6] });
    expect((await post('/embeddings', { text: 'x', dimensions: 0 })).json).toMatchObject({
      errors: [{ pointer: '/dimensions' }],
    });
  });

  it('calls functions', async () => {
    const { json } = await post('/function-calling', { messages, functions: [weather], temperature: 0 });
    expect(json).toMatchObject({
      functionCall: { name: 'weather', arguments: { city: 'hello' } },
      model: 'test/large',
    });
    expect(json.id).toMatch(/^function_call_/);
    const invalid = await post('/function-calling', {
      messages: [{ role: 'user', content: 'wrong' }],
      functions: [weather],
    });
    expect(invalid.json).toMatchObject({ status: 422, code: 'function_call_invalid' });
  });

  it('lists models without price and date, and returns one with both', async () => {
    const { json } = await client.send('GET', '/models');
    expect(json.data).toEqual([
      {
        id: 'test/large',
        provider: 'test',
        name: 'large',
        capabilities: ['chat', 'code', 'vision', 'tools'],
        maxTokens: 100,
        contextWindow: 10_000,
      },
      { id: 'test/org/small', provider: 'test', name: 'org/small', capabilities: ['chat'], maxTokens: 100 },
      { id: 'test/embed', provider: 'test', name: 'embed', capabilities: ['embeddings'], dimensions: 2 },
    ]);
    const model = await client.send('GET', '/models/test/large');
    expect(model.json).toMatchObject({
      pricing: { input: 1, output: 2, currency: 'USD', unit: '1M tokens' },
      createdAt: '2025-08-07T00:00:00.000Z',
    });
  });

  it.each(['/models/test/org/small', '/models/test%2Forg%2Fsmall', '/models/test/org%2Fsmall'])(
    'reads %s',
    async (path) => {
      const { json } = await client.send('GET', path);
      expect(json).toMatchObject({ id: 'test/org/small', createdAt: expect.stringMatching(timestamp) });
      expect(json).not.toHaveProperty('pricing');
    },
  );

  it.each(['/models/test/none', '/models/none', '/models/test/', '/models/%00', '/models/..%2Ftest'])(
    'does not find %s',
    async (path) => {
      expect((await client.send('GET', path)).json).toMatchObject({
        status: 404,
        code: expect.stringMatching(/not_found$/),
      });
    },
  );

  it('explains a choice without calling a model', async () => {
    const { json } = await post('/models/explain', { messages, topP: 0.5 });
    expect(json.data).toMatchObject([
      { id: 'test/large', score: 0, state: 'closed' },
      { id: 'test/org/small', refused: 'does not support topP' },
      { id: 'test/embed', refused: 'lacks chat' },
    ]);
    expect((await client.send('POST', '/models/explain')).status).toBe(200);
  });

  it.each([
    ['/generate', { prompt: 'a b c', stream: true }, 'generation_', { text: 'abc' }],
    [
      '/chat',
      { messages: [{ role: 'user', content: 'a b c' }], stream: true },
      'chat_',
      { message: { content: 'abc' } },
    ],
  ])('streams %s as start, deltas and done', async (path, body, prefix, result) => {
    const { status, text, headers } = await post(path, body);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    const [start, ...rest] = events(text);
    expect(start).toMatchObject({ event: 'start', data: { id: expect.stringContaining(prefix), model: 'test/large' } });
    expect(rest.slice(0, 3)).toEqual(['a', 'b', 'c'].map((word) => ({ event: 'delta', data: { text: word } })));
    expect(rest[3]).toMatchObject({ event: 'done', data: { ...result, id: start?.data.id, totalTokens: 8 } });
    expect(rest).toHaveLength(4);
  });

  it('a streamed function call has its arguments as deltas, before the whole call', async () => {
    const { text } = await post('/function-calling', { messages, functions: [weather], stream: true });
    const sent = events(text);
    expect(sent.map(({ event }) => event)).toEqual(['start', 'delta', 'done']);
    expect(JSON.parse(sent[1]?.data.text)).toEqual(sent[2]?.data.functionCall.arguments);
  });

  it('ends a cut stream with an error event, never with done', async () => {
    const { status, text } = await post('/generate', { prompt: 'a CUT', stream: true });
    expect(status).toBe(200);
    expect(events(text).map(({ event }) => event)).toEqual(['start', 'delta', 'error']);
    expect(events(text).at(-1)?.data).toMatchObject({ code: 'provider_bad_response', status: 502 });
  });

  it('responds with a problem if a stream cannot begin', async () => {
    const { status, json } = await post('/generate', { prompt: 'x', model: 'none/none', stream: true });
    expect([status, json.code]).toEqual([404, 'model_not_found']);
  });

  const logged = (requestId: string) =>
    test.log.filter((entry) => entry['requestId'] === requestId && entry.message === 'request failed');

  /** Three failures in a row would open the circuit for the tests that follow. */
  const endFailuresInARow = async () => {
    expect((await post('/generate', { prompt: 'hello', model: 'test/large' })).status).toBe(200);
  };

  it('hides the message of an upstream and logs it as a warning with its cause', async () => {
    await endFailuresInARow();
    const { status, text, json } = await post('/generate', { prompt: 'crash', model: 'test/large' });
    expect(status).toBe(502);
    expect(text).not.toContain('secret');
    const [entry, ...more] = logged(json.requestId);
    expect([entry?.level, entry?.['code'], more]).toEqual(['warn', 'provider_error', []]);
    expect(inspect(entry?.['error'])).toContain('secret of the upstream');
  });

  it('logs why a stream failed, like any other failure', async () => {
    await endFailuresInARow();
    const { status, text } = await post('/generate', { prompt: 'a CRASH', model: 'test/large', stream: true });
    const error = events(text).at(-1);
    expect([status, error?.event, error?.data.code]).toEqual([200, 'error', 'provider_error']);
    expect(text).not.toContain('secret');
    const [entry, ...more] = logged(error?.data.requestId);
    expect([entry?.level, entry?.['code'], more]).toEqual(['warn', 'provider_error', []]);
    expect(inspect(entry?.['error'])).toContain('secret of the upstream');
  });

  it('logs a switched-off provider as a condition, without a stack trace', async () => {
    const { status, json } = await post('/generate', { prompt: 'x', model: 'off/large' });
    expect([status, json.code]).toEqual([503, 'provider_not_configured']);
    expect(logged(json.requestId)).toEqual([
      {
        level: 'warn',
        message: 'request failed',
        requestId: json.requestId,
        code: 'provider_not_configured',
        detail: 'the provider off of the model off/large is off: no apiKey is set',
      },
    ]);
  });

  it.each([
    ['/generate', {}, '/prompt'],
    ['/generate', { prompt: '' }, '/prompt'],
    ['/generate', { prompt: 'x', max_tokens: 1 }, '/max_tokens'],
    ['/generate', { prompt: 'x', maxTokens: 0 }, '/maxTokens'],
    ['/generate', { prompt: 'x', temperature: 2.1 }, '/temperature'],
    ['/generate', { prompt: 'x', topP: 0 }, '/topP'],
    ['/generate', { prompt: 'x', presencePenalty: -3 }, '/presencePenalty'],
    ['/generate', { prompt: 'x', model: '' }, '/model'],
    ['/generate', { prompt: 'x', routing: { optimize: 'best' } }, '/routing/optimize'],
    ['/generate', { prompt: 'x', routing: { fallbacks: ['a/a', 'a/b', 'a/c', 'a/d'] } }, '/routing/fallbacks'],
    ['/chat', { messages: [] }, '/messages'],
    ['/chat', { messages: [{ role: 'robot', content: 'x' }] }, '/messages/0/role'],
    ['/chat', { messages: [{ role: 'user' }] }, '/messages/0/content'],
    ['/chat', { messages: [{ role: 'user', content: 'x', toolCallId: 'a' }] }, '/messages/0/toolCallId'],
    ['/chat', { messages: [{ role: 'tool', content: 'x' }] }, '/messages/0/toolCallId'],
    [
      '/chat',
      { messages: [{ role: 'system', content: [{ type: 'image', url: 'https://a.example' }] }] },
      '/messages/0/content/0/type',
    ],
    [
      '/chat',
      { messages: [{ role: 'user', content: [{ type: 'image', url: 'file:///x' }] }] },
      '/messages/0/content/0/url',
    ],
    [
      '/chat',
      { messages: [{ role: 'user', content: [{ type: 'image', data: 'eA==' }] }] },
      '/messages/0/content/0/mediaType',
    ],
    ['/chat', { messages: [{ role: 'user', content: [{ type: 'image' }] }] }, '/messages/0/content/0'],
    ['/chat', { messages: [{ role: 'user', content: [{ type: 'text' }] }] }, '/messages/0/content/0/text'],
    ['/chat', { messages, tools: [] }, '/tools'],
    ['/chat', { messages, tools: [weather, weather] }, '/tools/1/name'],
    ['/chat', { messages, tools: [weather], toolChoice: 'any' }, '/toolChoice'],
    ['/chat', { messages, toolChoice: 'required' }, '/toolChoice'],
    ['/chat', { messages, tools: [weather], toolChoice: { name: 'tide' } }, '/toolChoice/name'],
    ['/chat', { messages: [{ role: 'tool', toolCallId: 'a', content: 'x' }] }, '/messages/0/toolCallId'],
    ['/chat', { messages, stop: 'END' }, '/stop'],
    ['/chat', { messages, seed: 0.5 }, '/seed'],
    ['/chat', { messages, reasoningEffort: 'most' }, '/reasoningEffort'],
    ['/chat', { messages: [{ role: 'user', content: 'x', isError: true }] }, '/messages/0/isError'],
    [
      '/chat',
      { messages: [{ role: 'user', content: 'x', parts: [{ type: 'reasoning', text: 'x' }] }] },
      '/messages/0/parts/0/type',
    ],
    ['/embeddings', { text: ['a'] }, '/text'],
    ['/function-calling', { messages, functions: [] }, '/functions'],
    ['/function-calling', { messages, functions: [{ ...weather, name: 'a b' }] }, '/functions/0/name'],
    ['/function-calling', { messages, functions: [weather, weather] }, '/functions/1/name'],
  ])('refuses %s with %j at %s', async (path, body, pointer) => {
    const { status, json } = await post(path, body);
    expect([status, json.code]).toEqual([400, 'invalid_request']);
    expect(json.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer);
  });

  it.each([
    [{ prompt: 'x', model: 'test/large', maxTokens: 101 }, 'unsupported_parameter', '/maxTokens'],
    [{ prompt: 'x', model: 'test/org/small', topP: 0.5 }, 'unsupported_parameter', '/topP'],
    [{ prompt: 'x', model: 'test/embed' }, 'model_capability_mismatch', '/model'],
    [{ prompt: 'x', routing: { capabilities: ['reasoning'] } }, 'model_capability_mismatch', '/model'],
  ])('responds with 422 to %j', async (body, code, pointer) => {
    const { status, json } = await post('/generate', body);
    expect([status, json.code, json.errors[0].pointer]).toEqual([422, code, pointer]);
  });

  it('requires the scopes of each endpoint', async () => {
    const answer = await client.send('POST', '/chat', { body: { messages }, as: 'reader' });
    expect(answer.json).toMatchObject({ status: 403, code: 'insufficient_scope' });
    expect((await client.send('GET', '/models', { as: 'reader' })).status).toBe(403);
  });
});
