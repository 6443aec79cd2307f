import { type ChatRequest, createUpstreamClient, type JsonFields } from '@patchbay/core/provider';
import { describe, expect, it } from 'vitest';
import { readChat } from './chat-response.ts';
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
