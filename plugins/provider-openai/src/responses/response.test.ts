import { type ChatDelta, type ChatRequest, createUpstreamClient, type ModelInfo } from '@patchbay/core/provider';
import { describe, expect, it } from 'vitest';
import { readError } from '../read-error.ts';
import { readResponse, readResponseStream } from './response-answer.ts';
import { responseRequest } from './response-request.ts';

const upstream = createUpstreamClient({ name: 'openai', fetch, secrets: [], readError });
const model: ModelInfo = { name: 'gpt-6-astra', capabilities: ['chat', 'tools'], vendor: 'openai' };
const question: ChatRequest = { model: 'gpt-6-astra', messages: [{ role: 'user', content: 'Hi' }] };
const body = (request: Partial<ChatRequest>) => responseRequest('openai', model, { ...question, ...request }).body;

describe('responseRequest', () => {
  it('contains only required members by default', () => {
    expect(body({})).toEqual({ model: 'gpt-6-astra', input: [{ role: 'user', content: 'Hi' }], store: false });
  });

  it('turns a conversation with tools and images into items', () => {
    const messages: ChatRequest['messages'] = [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Where?' },
          { type: 'image', url: 'https://a.test/b.png' },
        ],
      },
      { role: 'user', content: [{ type: 'image', data: 'AAAA', mediaType: 'image/png' }] },
      { role: 'assistant', content: 'One moment.', toolCalls: [{ id: 'call_1', name: 'find', arguments: { a: 1 } }] },
      { role: 'tool', toolCallId: 'call_1', content: 'Bern' },
      { role: 'assistant', content: '', toolCalls: [{ id: 'x'.repeat(41), name: 'now', arguments: {} }] },
    ];
    expect(body({ messages }).input).toEqual([
      { role: 'system', content: [{ type: 'input_text', text: 'Be brief.' }] },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Where?' },
          { type: 'input_image', image_url: 'https://a.test/b.png', detail: 'auto' },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' }],
      },
      { role: 'assistant', content: 'One moment.' },
      { type: 'function_call', call_id: 'call_1', name: 'find', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'Bern' },
      { type: 'function_call', call_id: expect.stringMatching(/^call_[0-9a-f]{32}$/), name: 'now', arguments: '{}' },
    ]);
  });

  it('asks for tools and schemas in the words of this API', () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } } } as const;
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } as const;
    const tools = [{ name: 'find', description: 'Finds', parameters }];
    expect(body({ maxTokens: 50, tools, toolChoice: { name: 'find' }, responseSchema: schema })).toMatchObject({
      max_output_tokens: 50,
      tools: [{ type: 'function', name: 'find', description: 'Finds', parameters, strict: false }],
      tool_choice: { type: 'function', name: 'find' },
      text: { format: { type: 'json_schema', name: 'answer', strict: true, schema: { required: ['a'] } } },
    });
    expect(body({ tools, toolChoice: 'required' }).tool_choice).toBe('required');
    expect(body({ toolChoice: 'required' })).not.toHaveProperty('tool_choice');
    const hint = responseRequest('openai', model, { ...question, responseSchema: { type: 'string' } });
    expect(hint.body.text?.format).toMatchObject({ strict: false });
    expect(hint.warnings).toHaveLength(1);
  });

  it.each([{ maxTokens: 15 }, { frequencyPenalty: 0.5 }, { presencePenalty: 0.5 }])('refuses %j', (sampling) => {
    expect(() => body(sampling)).toThrow(expect.objectContaining({ code: 'unsupported_parameter' }));
  });
});

const message = (...content: readonly object[]) => ({ type: 'message', role: 'assistant', content });
const text = (value: unknown) => ({ type: 'output_text', text: value });
const refusal = { type: 'refusal', refusal: 'I cannot.' };
const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'find', arguments: '{"city":"Bern"}' };
const response = (output: unknown, more: object = {}) => ({ status: 'completed', output, ...more });
const read = (document: object) => readResponse({ ...document }, question, [], upstream);

describe('readResponse', () => {
  it('reads texts and calls, whatever stands between them', () => {
    const usage = {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
      output_tokens: 50,
      output_tokens_details: { reasoning_tokens: 20 },
    };
    const output = [{ type: 'reasoning', summary: [] }, message(text('One '), text('moment.')), call, { type: 'new' }];
    expect(read(response(output, { usage }))).toEqual({
      content: 'One moment.',
      toolCalls: [{ id: 'call_1', name: 'find', arguments: { city: 'Bern' } }],
      finishReason: 'tool-calls',
      usage: {
        uncachedInputTokens: 10,
        cacheReadTokens: 60,
        cacheWriteTokens: 30,
        outputTokens: 50,
        reasoningTokens: 20,
      },
    });
  });

  it('reports why a completion is incomplete', () => {
    const incomplete = (reason: string) => ({ status: 'incomplete', incomplete_details: { reason } });
    const part = [message(text('Once'))];
    expect(read(response(part, incomplete('max_output_tokens'))).finishReason).toBe('length');
    expect(read(response([], incomplete('max_output_tokens')))).toMatchObject({ content: '', finishReason: 'length' });
    expect(read(response(part, incomplete('content_filter'))).finishReason).toBe('content-filter');
    expect(() => read(response([], incomplete('content_filter')))).toThrow(
      expect.objectContaining({ code: 'content_filtered' }),
    );
    expect(() => read(response([message(refusal)]))).toThrow(expect.objectContaining({ code: 'content_filtered' }));
  });

  it.each([
    ['rate_limit_exceeded', 'provider_rate_limited'],
    ['server_error', 'provider_error'],
    ['invalid_prompt', 'content_filtered'],
  ])('maps a response that failed with %s to its error', (code, expected) => {
    const failed = response([], { status: 'failed', error: { code, message: 'Oops' } });
    expect(() => read(failed)).toThrow(expect.objectContaining({ code: expected }));
  });

  it.each([
    ['without output', { status: 'completed' }],
    ['that says nothing', response([])],
    ['that goes on', response([message(text('a'))], { status: 'in_progress' })],
    ['that is not complete, and does not say why', response([message(text('a'))], { status: 'incomplete' })],
    ['with a text that is none', response([message(text(null))])],
    ['with a message without content', response([{ type: 'message' }])],
    ['with an item that is none', response([7])],
    ['with a call without id', response([{ ...call, call_id: '' }])],
  ])('rejects a response %s', (_, document) => {
    expect(() => read(document)).toThrow(expect.objectContaining({ code: 'provider_bad_response' }));
  });

  it('blames the model, not the server, for arguments that are no JSON', () => {
    expect(() => read(response([{ ...call, arguments: '{"city":' }]))).toThrow(
      expect.objectContaining({ code: 'function_call_invalid' }),
    );
  });
});

describe('readResponseStream', () => {
  async function readStream(...documents: readonly object[]): Promise<ChatDelta[]> {
    const events = (async function* () {
      for (const data of documents) yield { name: undefined, data: { ...data } };
    })();
    const deltas: ChatDelta[] = [];
    for await (const one of readResponseStream(events, question, ['adapted'], upstream)) deltas.push(one);
    return deltas;
  }
  const delta = (value: unknown) => ({ type: 'response.output_text.delta', delta: value });
  const end = (more: object = {}) => ({ type: 'response.completed', response: response([], more) });

  it('yields each delta, each complete tool call, and the end', async () => {
    const deltas = await readStream(
      { type: 'response.created' },
      delta('One '),
      { type: 'response.something_new' },
      delta('moment.'),
      { type: 'response.output_item.done', item: message(text('One moment.')) },
      { type: 'response.function_call_arguments.delta', delta: '{"ci' },
      { type: 'response.output_item.done', item: call },
      end({ usage: { input_tokens: 7, output_tokens: 3 } }),
    );
    expect(deltas.map(({ type }) => type)).toEqual(['text', 'text', 'tool-arguments', 'tool-call', 'finish']);
    expect(deltas.at(-1)).toMatchObject({
      finishReason: 'tool-calls',
      usage: { uncachedInputTokens: 7, outputTokens: 3 },
      warnings: ['adapted'],
    });
  });

  it('knows a refusal, and a failure within', async () => {
    const refused = readStream({ type: 'response.refusal.delta', delta: 'I cannot' }, end());
    await expect(refused).rejects.toMatchObject({ code: 'content_filtered' });
    const error = { code: 'rate_limit_exceeded', message: 'Slow down' };
    const failed = { type: 'response.failed', response: response([], { status: 'failed', error }) };
    await expect(readStream(delta('a'), failed)).rejects.toMatchObject({ code: 'provider_rate_limited' });
    await expect(readStream(delta('a'), { type: 'error', ...error })).rejects.toMatchObject({
      code: 'provider_rate_limited',
    });
  });

  it.each([
    ['without an end', [delta('a')]],
    ['of nothing', [end()]],
    ['with a text that is none', [delta(7), end()]],
    ['that ends with something else than a response', [delta('a'), { type: 'response.completed' }]],
  ])('one %s has failed', async (_, documents) => {
    await expect(readStream(...documents)).rejects.toMatchObject({ code: 'provider_bad_response' });
  });
});
