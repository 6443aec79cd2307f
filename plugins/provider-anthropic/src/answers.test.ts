import {
  type ChatDelta,
  type ChatRequest,
  ContentBuilder,
  createUpstreamClient,
  type JsonFields,
} from '@patchbay/core/provider';
import { describe, expect, it } from 'vitest';
import { readChat, readChatStream } from './chat-response.ts';
import { readError } from './read-error.ts';

const upstream = createUpstreamClient({ name: 'anthropic', fetch, secrets: [], readError });
const request: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
const bad = { code: 'provider_bad_response' };
const text = { type: 'text', text: 'Hello' };
const use = { type: 'tool_use', id: 'toolu_1', name: 'find', input: { city: 'Bern' } };

describe('readChat', () => {
  const read = (content: unknown, stop_reason: unknown = 'end_turn', more: JsonFields = {}) =>
    readChat({ content, stop_reason, ...more }, request, [], upstream);

  it('keeps every block in its place, with what only Anthropic says of it', () => {
    const content = [
      { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
      { type: 'redacted_thinking', data: 'sealed' },
      { ...text, citations: null },
      { type: 'text', text: '!', citations: [{ type: 'char_location' }] },
      { type: 'text', text: '' },
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
      { ...use, caller: { type: 'direct' } },
      { ...use, id: 'toolu_2', input: undefined, caller: { type: 'code_execution_20260120', tool_id: 'x' } },
    ];
    const result = read(content, 'tool_use', { id: 'msg_1', stop_sequence: null });
    expect(result.content).toEqual([
      { type: 'reasoning', text: 'Hm.', signature: 'sig' },
      { type: 'reasoning', text: '', encrypted: 'sealed' },
      text,
      { type: 'text', text: '!', extra: { 'anthropic-messages': { citations: [{ type: 'char_location' }] } } },
      { type: 'reasoning', text: '', encrypted: '', extra: { 'anthropic-messages': content[5] } },
      { type: 'tool-call', id: 'toolu_1', name: 'find', arguments: { city: 'Bern' } },
      {
        type: 'tool-call',
        id: 'toolu_2',
        name: 'find',
        arguments: {},
        extra: { 'anthropic-messages': { caller: { type: 'code_execution_20260120', tool_id: 'x' } } },
      },
    ]);
    expect(result.finishReason).toBe('tool-calls');
    expect(result.extra).toEqual({ 'anthropic-messages': { id: 'msg_1', stop_reason: 'tool_use' } });
  });

  it('a text alone is a text', () => {
    expect(read([text]).content).toBe('Hello');
  });

  it('says why it stopped in the words of Anthropic', () => {
    const more = { stop_sequence: 'END', usage: { input_tokens: 1, output_tokens: 2, service_tier: 'priority' } };
    expect(read([text], 'stop_sequence', more).extra).toEqual({
      'anthropic-messages': { stop_reason: 'stop_sequence', stop_sequence: 'END', usage: { service_tier: 'priority' } },
    });
    const details = { stop_details: { type: 'refusal', category: 'cyber', explanation: 'No.' } };
    expect(read([text], 'refusal', details).extra).toEqual({
      'anthropic-messages': { stop_reason: 'refusal', ...details },
    });
  });

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'content-filter'],
  ])('reads the reason %s', (reason, finishReason) => {
    expect(read([text], reason).finishReason).toBe(finishReason);
  });

  it('knows a refusal, and an answer that was all thought', () => {
    expect(() => read([], 'refusal')).toThrow(expect.objectContaining({ code: 'content_filtered' }));
    expect(read([], 'max_tokens')).toMatchObject({ content: '', finishReason: 'length' });
  });

  it.each([
    ['no content', undefined, 'end_turn'],
    ['nothing said', [], 'end_turn'],
    ['no reason', [text], null],
    ['a block that is none', ['Hello'], 'end_turn'],
    ['a text that is none', [{ type: 'text', text: null }], 'end_turn'],
    ['a call without id', [{ ...use, id: undefined }], 'tool_use'],
  ])('rejects %s', (_, content, reason) => {
    expect(() => read(content, reason)).toThrow(expect.objectContaining(bad));
  });

  it('blames the model, not the server, for arguments that are no object', () => {
    const invalid = expect.objectContaining({ code: 'function_call_invalid' });
    expect(() => read([{ ...use, input: [] }], 'tool_use')).toThrow(invalid);
  });

  it('reads the counts as they are', () => {
    const usage = {
      input_tokens: 10,
      cache_creation_input_tokens: 30,
      cache_read_input_tokens: null,
      output_tokens: 50,
      output_tokens_details: { thinking_tokens: 20 },
    };
    expect(read([text], 'end_turn', { usage }).usage).toEqual({
      uncachedInputTokens: 10,
      cacheReadTokens: 0,
      cacheWriteTokens: 30,
      outputTokens: 50,
      reasoningTokens: 20,
    });
    expect(() => read([text], 'end_turn', { usage: { ...usage, output_tokens: 19 } })).toThrow(
      expect.objectContaining(bad),
    );
  });
});

describe('readChatStream', () => {
  const start = {
    type: 'message_start',
    message: { usage: { input_tokens: 10, cache_read_input_tokens: 4, output_tokens: 1 } },
  };
  const block = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block });
  const delta = (index: number, value: object) => ({ type: 'content_block_delta', index, delta: value });
  const stop = (index: number) => ({ type: 'content_block_stop', index });
  const end = (stop_reason: string) => ({
    type: 'message_delta',
    delta: { stop_reason },
    usage: { output_tokens: 9, cache_read_input_tokens: null },
  });
  const last = { type: 'message_stop' };
  const json = (partial_json: string) => ({ type: 'input_json_delta', partial_json });

  async function read(...documents: readonly JsonFields[]): Promise<ChatDelta[]> {
    const events = (async function* () {
      for (const data of documents) yield { name: undefined, data };
    })();
    const deltas: ChatDelta[] = [];
    for await (const one of readChatStream(events, request, [], upstream)) deltas.push(one);
    return deltas;
  }

  it('yields text as it arrives, complete tool calls, and the token counts of start and end', async () => {
    const deltas = await read(
      start,
      { type: 'ping' },
      block(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'Hm.' }),
      delta(0, { type: 'signature_delta', signature: 'sig' }),
      stop(0),
      block(1, { type: 'text', text: '' }),
      delta(1, { type: 'text_delta', text: 'Hello' }),
      stop(1),
      block(2, { ...use, input: {} }),
      delta(2, json('')),
      delta(2, json('{"city":')),
      delta(2, json('"Bern"}')),
      stop(2),
      block(3, { ...use, id: 'toolu_2', input: {} }),
      stop(3),
      end('tool_use'),
      last,
    );
    expect(deltas).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'reasoning-end', signature: 'sig' },
      { type: 'text', text: 'Hello' },
      { type: 'tool-arguments', id: 'toolu_1', name: 'find', text: '' },
      { type: 'tool-arguments', id: 'toolu_1', name: 'find', text: '{"city":' },
      { type: 'tool-arguments', id: 'toolu_1', name: 'find', text: '"Bern"}' },
      { type: 'tool-call', toolCall: { id: 'toolu_1', name: 'find', arguments: { city: 'Bern' } } },
      { type: 'tool-arguments', id: 'toolu_2', name: 'find', text: '' },
      { type: 'tool-call', toolCall: { id: 'toolu_2', name: 'find', arguments: {} } },
      {
        type: 'finish',
        finishReason: 'tool-calls',
        usage: {
          uncachedInputTokens: 10,
          cacheReadTokens: 4,
          cacheWriteTokens: 0,
          outputTokens: 9,
          reasoningTokens: 0,
        },
        extra: { 'anthropic-messages': { stop_reason: 'tool_use' } },
      },
    ]);
  });

  it('keeps hidden reasoning and blocks of other kinds apart, so that they add up to the same content', async () => {
    const whole = [
      { type: 'thinking', thinking: '', signature: 'sig' },
      { type: 'redacted_thinking', data: 'sealed' },
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
      text,
    ];
    const deltas = await read(
      start,
      block(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'signature_delta', signature: 'sig' }),
      stop(0),
      block(1, { type: 'redacted_thinking', data: 'sealed' }),
      stop(1),
      block(2, { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }),
      delta(2, json('{"query":')),
      delta(2, json('"x"}')),
      stop(2),
      block(3, { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }),
      stop(3),
      block(4, { type: 'text', text: '' }),
      delta(4, { type: 'citations_delta', citation: {} }),
      delta(4, { type: 'text_delta', text: 'Hello' }),
      stop(4),
      end('end_turn'),
      last,
    );
    const built = new ContentBuilder();
    for (const one of deltas) {
      if (one.type === 'reasoning' || one.type === 'text') built.add(one.type, one.text);
      if (one.type !== 'reasoning-end') continue;
      const { type: _, ...proof } = one;
      built.endReasoning(proof);
    }
    const { content } = readChat({ content: whole, stop_reason: 'end_turn' }, request, [], upstream);
    expect(built.content).toEqual(content);
    expect(deltas.at(-1)).toMatchObject({
      warnings: ['anthropic streams its citations, which only complete responses have'],
    });
  });

  it('completes a message that has a stop reason and no message_stop', async () => {
    const deltas = await read(start, delta(0, { type: 'text_delta', text: 'a' }), end('end_turn'));
    expect(deltas.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
  });

  it.each([
    ['without a reason', [start, delta(0, { type: 'text_delta', text: 'a' }), last]],
    ['with a call that does not end', [start, block(0, use), delta(0, json('{')), end('tool_use'), last]],
    ['with a text that is none', [start, delta(0, { type: 'text_delta', text: 7 })]],
    ['that says nothing', [start, end('end_turn'), last]],
  ])('one %s has failed', async (_, documents) => {
    await expect(read(...documents)).rejects.toMatchObject(bad);
  });

  it('blames the model, not the server, for arguments that are no JSON', async () => {
    const documents = [start, block(0, use), delta(0, json('{')), stop(0), end('tool_use'), last];
    await expect(read(...documents)).rejects.toMatchObject({ code: 'function_call_invalid' });
  });

  it('passes on what the error within says', async () => {
    const error = (type: string, message: string) => ({ type: 'error', error: { type, message } });
    await expect(read(start, error('overloaded_error', 'x'))).rejects.toMatchObject({ upstream: { kind: 'failed' } });
    await expect(read(start, error('rate_limit_error', 'x'))).rejects.toMatchObject({ code: 'provider_rate_limited' });
    await expect(read(start, error('invalid_request_error', 'prompt is too long'))).rejects.toMatchObject({
      code: 'context_length_exceeded',
    });
    await expect(read(start, end('refusal'), last)).rejects.toMatchObject({ code: 'content_filtered' });
  });
});

describe('readError', () => {
  it.each([
    ['auth', 401, 'authentication_error', 'invalid x-api-key'],
    ['auth', 402, 'billing_error', 'x'],
    [undefined, 400, 'invalid_request_error', 'Your credit balance is too low to access the API.'],
    ['model_gone', 404, 'not_found_error', 'model: x'],
    ['rate_limited', 429, 'rate_limit_error', 'x'],
    ['failed', 529, 'overloaded_error', 'Overloaded'],
    ['context_length', 413, 'request_too_large', 'x'],
    ['context_length', 400, 'invalid_request_error', 'input length and `max_tokens` exceed context limit'],
    ['content_filter', 400, 'invalid_request_error', 'Output blocked by content filtering policy'],
    ['unsupported', 400, 'invalid_request_error', 'This model does not support assistant message prefill.'],
    ['unsupported', 400, 'invalid_request_error', 'messages: text content blocks must be non-empty'],
    [undefined, 400, 'invalid_request_error', 'messages: Field required'],
    [undefined, 418, 'novel_error', 'x'],
  ] as const)('finds %s in %s %s: %s', (kind, status, type, message) => {
    expect(readError({ type: 'error', error: { type, message } }, status).kind).toBe(kind);
  });
});
