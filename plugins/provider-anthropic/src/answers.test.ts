import { type ChatDelta, type ChatRequest, createUpstreamClient, type JsonFields } from '@patchbay/core/provider';
import { describe, expect, it } from 'vitest';
import { readChat, readChatStream, readError } from './chat-response.ts';

const upstream = createUpstreamClient({ name: 'anthropic', fetch, secrets: [], readError });
const request: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
const bad = { code: 'provider_bad_response' };
const text = { type: 'text', text: 'Hello' };
const use = { type: 'tool_use', id: 'toolu_1', name: 'find', input: { city: 'Bern' } };

describe('readChat', () => {
  const read = (content: unknown, stop_reason: unknown = 'end_turn', more: JsonFields = {}) =>
    readChat({ content, stop_reason, ...more }, request, [], upstream);

  it('returns text and tool calls, without thinking and unknown blocks', () => {
    const thought = { type: 'thinking', thinking: 'Hm.', signature: 'x' };
    expect(read([thought, text, { type: 'novelty' }, { type: 'text', text: '!' }, use], 'tool_use')).toMatchObject({
      content: 'Hello!',
      toolCalls: [{ id: 'toolu_1', name: 'find', arguments: { city: 'Bern' } }],
      finishReason: 'tool-calls',
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
      block(0, { type: 'thinking', thinking: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'Hm.' }),
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
      { type: 'text', text: 'Hello' },
      // Of the first call only.
      { type: 'tool-arguments', text: '{"city":' },
      { type: 'tool-arguments', text: '"Bern"}' },
      { type: 'tool-call', toolCall: { id: 'toolu_1', name: 'find', arguments: { city: 'Bern' } } },
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
      },
    ]);
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
