import { canary } from '@patchbay/canaries';
import type { JsonObject } from '@patchbay/core/plugin';
import { apiConformance, readEvents } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import { expectProblem } from '../driver/expect-problem.ts';
import { type Answer, adminKey } from '../driver/server-process.ts';
import { weather } from './requests.ts';
import { useVendors } from './use-vendors.ts';

// Walks area B of the interface specification, field by field, against a server with the adapters of three vendors.

const vendors = await useVendors();
const { server } = vendors;
const post = (path: string, body: object): Promise<Answer> => server.ask('POST', path, body);

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const messages = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Hello' },
  { role: 'assistant', content: 'Good day.' },
  { role: 'user', content: 'What is the weather in Bern?' },
];
const counts = { promptTokens: 12, completionTokens: 6, totalTokens: 18 };

const textModels = [
  { vendor: 'openai', model: 'openai/gpt-4.1' },
  { vendor: 'anthropic', model: 'anthropic/claude-opus-4-6' },
  { vendor: 'google', model: 'google/gemini-3.1-flash-lite' },
] as const;
type VendorName = (typeof textModels)[number]['vendor'];

const conformingModels = { chat: 'openai/gpt-4.1', embeddings: 'openai/text-embedding-3-small' };
apiConformance(
  { describe, it },
  {
    api: () => ({ url: server.running.url, token: adminKey, models: conformingModels }),
    topics: ['gateway'],
  },
);

/** The last request that a vendor received. */
const sent = (vendor: VendorName): JsonObject => vendors[vendor].requests.at(-1)?.json as JsonObject;

describe.each(textModels)('$model', ({ vendor, model }) => {
  it('answers POST /generate with the documented fields', async () => {
    const { status, headers, body } = await post('/generate', { prompt: 'Hello', model, maxTokens: 50 });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^generation_[0-7][0-9a-z]{25}$/),
      text: 'Hello from the upstream.',
      model,
      ...counts,
      createdAt: expect.stringMatching(timestamp),
      finishReason: 'stop',
    });
    expect(headers.get('patchbay-route')).toBe('named');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('answers POST /chat with the documented fields, and is shown the whole conversation', async () => {
    const { status, body } = await post('/chat', { messages, model, maxTokens: 50 });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^chat_[0-7][0-9a-z]{25}$/),
      message: { role: 'assistant', content: 'Hello from the upstream.' },
      model,
      ...counts,
      createdAt: expect.stringMatching(timestamp),
      finishReason: 'stop',
    });
    const text = JSON.stringify(sent(vendor));
    for (const { content } of messages) expect(text).toContain(content);
  });

  it('answers POST /function-calling with the documented fields', async () => {
    const { status, body } = await post('/function-calling', { messages, functions: [weather], model });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^function_call_[0-7][0-9a-z]{25}$/),
      functionCall: { name: 'weather', arguments: { city: 'Bern' } },
      model,
      ...counts,
      createdAt: expect.stringMatching(timestamp),
    });
    const known = ['createdAt', 'completionTokens', 'functionCall', 'id', 'model', 'promptTokens', 'totalTokens'];
    expect(Object.keys(body).filter((name) => !known.includes(name) && name !== 'warnings')).toEqual([]);
    expect(JSON.stringify(sent(vendor))).toContain('"description":"The weather in a city."');
  });

  it.each([
    ['/generate', { prompt: 'Hello' }, { text: 'Hello from the upstream.' }],
    ['/chat', { messages }, { message: { role: 'assistant', content: 'Hello from the upstream.' } }],
  ])('streams %s as start, deltas and done', async (path, body, result) => {
    const response = await fetch(server.running.url + path, {
      method: 'POST',
      headers: { 'x-api-key': adminKey, 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, model, maxTokens: 50, stream: true }),
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    const events = readEvents(await response.text());
    const names = events.map(({ event }) => event);
    expect(names).toEqual(['start', ...names.slice(1, -1).map(() => 'delta'), 'done']);
    expect(names.length).toBeGreaterThan(3);
    const pieces = events.slice(1, -1).map(({ data }) => String(data['text']));
    expect(pieces.join('')).toBe('Hello from the upstream.');
    expect(events.at(-1)?.data).toMatchObject({ ...result, ...counts, model, id: events[0]?.data['id'] });
  });

  it('receives its key and no header of our own', async () => {
    await post('/generate', { prompt: 'Hello', model });
    const { 'user-agent': agent, ...sent } = vendors[vendor].requests.at(-1)?.headers ?? {};
    expect(agent).toBe('patchbay');
    const head = JSON.stringify(sent);
    expect(head).toContain(canary(`key-of-${vendor}`));
    expect(head).not.toMatch(/bootstrap|request_|patchbay/i);
  });
});

describe('options of a chat', () => {
  const question = { messages: [{ role: 'user', content: 'Hello' }], tools: [weather] };
  const options = { toolChoice: 'auto', parallelToolCalls: false, stop: ['END'] };
  const responseSchema = {
    type: 'object',
    properties: { city: { $ref: '#/$defs/city' } },
    required: ['city'],
    additionalProperties: false,
    $defs: { city: { type: 'string' } },
  };
  const resolved = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const named = (model: string) => ({ ...question, ...options, model });

  it('reach OpenAI in its terms, also in a stream', async () => {
    const expected = {
      stop: ['END'],
      seed: 7,
      parallel_tool_calls: false,
      tool_choice: 'auto',
      tools: [{ type: 'function', function: { name: 'weather', parameters: weather.parameters } }],
      response_format: { type: 'json_schema', json_schema: { schema: resolved } },
    };
    const body = { ...named('openai/gpt-4.1'), seed: 7, responseSchema };
    await post('/chat', body);
    expect(sent('openai')).toMatchObject(expected);
    const response = await fetch(`${server.running.url}/chat`, {
      method: 'POST',
      headers: { 'x-api-key': adminKey, 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, stream: true }),
    });
    expect(readEvents(await response.text()).at(-1)?.event).toBe('done');
    expect(sent('openai')).toMatchObject({ ...expected, stream: true });
    await post('/chat', { ...question, toolChoice: 'none', model: 'openai/gpt-4.1' });
    expect(sent('openai')).toMatchObject({ tool_choice: 'none' });
  });

  it('reach Anthropic in its terms', async () => {
    await post('/chat', { ...named('anthropic/claude-opus-4-6'), reasoningEffort: 'low', responseSchema });
    expect(sent('anthropic')).toMatchObject({
      stop_sequences: ['END'],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      tools: [{ name: 'weather', input_schema: weather.parameters }],
      output_config: { effort: 'low', format: { type: 'json_schema', schema: resolved } },
    });
    const marked = { ...question, tools: [{ ...weather, cache: { ttl: '1h' } }] };
    await post('/chat', { ...marked, toolChoice: 'none', model: 'anthropic/claude-opus-4-6' });
    expect(sent('anthropic')).toMatchObject({ tools: [{ cache_control: { type: 'ephemeral', ttl: '1h' } }] });
    expect(sent('anthropic')).toMatchObject({ tool_choice: { type: 'none' } });
  });

  it('reach Google in its terms', async () => {
    await post('/chat', { ...question, stop: ['END'], seed: 7, model: 'google/gemini-3.1-flash-lite' });
    expect(sent('google')).toMatchObject({ generationConfig: { stopSequences: ['END'], seed: 7 } });
    await post('/chat', { ...question, toolChoice: 'none', model: 'google/gemini-3.1-flash-lite' });
    expect(sent('google')).toMatchObject({ toolConfig: { functionCallingConfig: { mode: 'NONE' } } });
  });
});

describe('sampling values', () => {
  const all = { maxTokens: 40, temperature: 0.25, topP: 0.75, frequencyPenalty: -1.5, presencePenalty: 0.5 };

  it('reach OpenAI as they are', async () => {
    for (const [path, question] of [
      ['/generate', { prompt: 'Hello' }],
      ['/chat', { messages: [{ role: 'user', content: 'Hello' }] }],
    ] as const) {
      expect((await post(path, { ...question, ...all, model: 'openai/gpt-4.1' })).body['warnings']).toBeUndefined();
      expect(sent('openai')).toEqual({
        model: 'gpt-4.1',
        messages: [{ role: 'user', content: 'Hello' }],
        max_completion_tokens: 40,
        temperature: 0.25,
        top_p: 0.75,
        frequency_penalty: -1.5,
        presence_penalty: 0.5,
      });
    }
  });

  it('reach Anthropic as they are, where it has them', async () => {
    const model = 'anthropic/claude-opus-4-6';
    const content = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }];
    const base = { model: 'claude-opus-4-6', max_tokens: 40, messages: content };
    await post('/generate', { prompt: 'Hello', model, maxTokens: 40, temperature: 0.25 });
    expect(sent('anthropic')).toEqual({ ...base, temperature: 0.25 });
    await post('/generate', { prompt: 'Hello', model, maxTokens: 40, topP: 0.75 });
    expect(sent('anthropic')).toEqual({ ...base, top_p: 0.75 });
  });

  it('reach Google as they are, where it has them', async () => {
    const model = 'google/gemini-3.1-flash-lite';
    await post('/generate', { prompt: 'Hello', model, maxTokens: 40, temperature: 2, topP: 0.75 });
    expect(sent('google')).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
      generationConfig: { maxOutputTokens: 40, temperature: 2, topP: 0.75 },
    });
  });

  it('that are left out are not sent', async () => {
    for (const { model } of textModels) await post('/generate', { prompt: 'Hello', model });
    expect(sent('openai')).toEqual({ model: 'gpt-4.1', messages: [{ role: 'user', content: 'Hello' }] });
    expect(Object.keys(sent('anthropic')).toSorted()).toEqual(['max_tokens', 'messages', 'model']);
    expect(Object.keys(sent('google'))).toEqual(['contents']);
  });

  it('that were estimated come with a warning', async () => {
    const { body } = await post('/generate', { prompt: 'Hello', model: 'anthropic/claude-opus-4-6' });
    expect(body['warnings']).toEqual([expect.stringContaining('needs maxTokens: it was set to 4096')]);
  });

  it('of /function-calling are the temperature', async () => {
    const body = { messages, functions: [weather], temperature: 0.5 };
    await post('/function-calling', { ...body, model: 'openai/gpt-4.1' });
    expect(sent('openai')).toMatchObject({ temperature: 0.5 });
    expectProblem(await post('/function-calling', { ...body, topP: 0.5 }), 'invalid_request', '/topP');
  });

  it.each([
    ['openai/gpt-6-luna', { temperature: 0.5 }],
    ['anthropic/claude-opus-4-6', { frequencyPenalty: 1 }],
    ['anthropic/claude-opus-4-6', { temperature: 1.5 }],
    ['google/gemini-3.1-flash-lite', { presencePenalty: 1 }],
    ['openai/gpt-4.1', { maxTokens: 32_769 }],
  ])('that %s does not take are refused: %j', async (model, values) => {
    const [name = ''] = Object.keys(values);
    expectProblem(await post('/generate', { prompt: 'Hello', model, ...values }), 'unsupported_parameter', `/${name}`);
  });

  it.each([
    { temperature: 2.1 },
    { topP: 0 },
    { topP: 1.1 },
    { frequencyPenalty: -2.1 },
    { presencePenalty: 2.1 },
    { maxTokens: 0 },
    { maxTokens: 1.5 },
    { max_tokens: 5 },
  ])('out of range are refused: %j', async (values) => {
    const [name = ''] = Object.keys(values);
    expectProblem(await post('/chat', { messages, ...values }), 'invalid_request', `/${name}`);
  });
});

describe('POST /embeddings', () => {
  it.each([
    ['openai/text-embedding-3-small', 1_536],
    ['google/gemini-embedding-2', 3_072],
  ])('answers with the documented fields: %s', async (model, dimensions) => {
    const { status, body } = await post('/embeddings', { text: 'The weather in Bern', model });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^embedding_[0-7][0-9a-z]{25}$/),
      model,
      tokens: expect.any(Number),
      createdAt: expect.stringMatching(timestamp),
    });
    const embedding = body['embedding'] as number[];
    expect(embedding).toHaveLength(dimensions);
    expect(embedding.slice(0, 3)).toEqual([-0.5, -0.375, -0.25]);
  });

  it('answers that Anthropic has no embeddings', async () => {
    const answer = await post('/embeddings', { text: 'x', model: 'anthropic/claude-opus-4-6' });
    expectProblem(answer, 'model_capability_mismatch', '/model');
    expect(answer.body['detail']).toBe('anthropic/claude-opus-4-6 lacks embeddings');
    const any = await post('/embeddings', { text: 'x', routing: { providers: { allow: ['anthropic'] } } });
    expectProblem(any, 'model_capability_mismatch');
  });
});

describe('a request', () => {
  it.each([
    ['/generate', {}, '/prompt'],
    ['/chat', {}, '/messages'],
    ['/chat', { messages: [] }, '/messages'],
    ['/chat', { messages: [{ role: 'robot', content: 'x' }] }, '/messages/0/role'],
    ['/embeddings', {}, '/text'],
    ['/function-calling', { messages }, '/functions'],
    ['/function-calling', { functions: [weather] }, '/messages'],
    ['/generate', { prompt: 'x', model: 7 }, '/model'],
  ])('to %s that lacks or mistakes something is 400: %j', async (path, body, pointer) => {
    expectProblem(await post(path, body), 'invalid_request', pointer);
  });

  it('without credentials is 401', async () => {
    for (const [method, path] of [
      ['POST', '/generate'],
      ['POST', '/chat'],
      ['POST', '/embeddings'],
      ['POST', '/function-calling'],
      ['GET', '/models'],
      ['GET', '/models/openai/gpt-4.1'],
      ['POST', '/models/explain'],
    ] as const) {
      expect([path, (await fetch(server.running.url + path, { method })).status]).toEqual([path, 401]);
    }
  });
});
