import { type ChatRequest, createUpstreamClient, type JsonFields } from '@patchbay/core/provider';
import { describe, expect, it } from 'vitest';
import { readChat } from './chat-response.ts';
import { readError } from './read-error.ts';

const upstream = createUpstreamClient({ name: 'openai', fetch, secrets: [], readError });
const request: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };

function read(message: object, finish_reason: unknown = 'stop', usage?: JsonFields) {
  const document = { choices: [{ message, finish_reason }], ...(usage ? { usage } : {}) };
  return readChat(document, request, [], upstream);
}

const call = (id: unknown, name: unknown, values: unknown) => ({
  id,
  type: 'function',
  function: { name, arguments: values },
});

describe('readChat', () => {
  it('gives the tool calls their reason, also where the server says stop', () => {
    const message = {
      content: null,
      tool_calls: [call('call_1', 'find', '{"city":"Bern"}'), call('call_2', 'now', '')],
    };
    expect(read(message, 'stop')).toMatchObject({
      content: '',
      toolCalls: [
        { id: 'call_1', name: 'find', arguments: { city: 'Bern' } },
        { id: 'call_2', name: 'now', arguments: {} },
      ],
      finishReason: 'tool-calls',
    });
    expect(read({ content: 'Wait.', tool_calls: [] }, 'tool_calls').finishReason).toBe('stop');
  });

  it('takes an empty answer where the tokens were used up by thinking', () => {
    expect(read({ content: null }, 'length')).toMatchObject({ content: '', finishReason: 'length' });
    expect(read({ content: 'Once', refusal: null }, 'length')).toMatchObject({
      content: 'Once',
      finishReason: 'length',
    });
  });

  it('knows a refusal, whole or half way', () => {
    const filtered = expect.objectContaining({ code: 'content_filtered' });
    expect(() => read({ content: null, refusal: 'I cannot.' })).toThrow(filtered);
    expect(() => read({ content: '' }, 'content_filter')).toThrow(filtered);
    expect(read({ content: 'Once upon' }, 'content_filter').finishReason).toBe('content-filter');
  });

  it.each([
    ['no finish reason', { content: 'a' }, null],
    ['no content', { content: null }, 'stop'],
    ['empty content', { content: '' }, 'stop'],
    ['content that is a list', { content: [] }, 'stop'],
    ['tool calls that are no list', { content: 'a', tool_calls: {} }, 'stop'],
    ['a tool call without id', { tool_calls: [call('', 'find', '{}')] }, 'tool_calls'],
    ['a tool call without name', { tool_calls: [call('call_1', null, '{}')] }, 'tool_calls'],
  ])('takes %s for no answer', (_, message, reason) => {
    expect(() => read(message, reason)).toThrow(expect.objectContaining({ code: 'provider_bad_response' }));
  });

  it.each(['{"city":', '[]'])('blames the model, not the server, for the arguments %s', (values) => {
    const message = { tool_calls: [call('call_1', 'find', values)] };
    expect(() => read(message, 'tool_calls')).toThrow(expect.objectContaining({ code: 'function_call_invalid' }));
  });

  it('splits what OpenAI counts together', () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 50,
      prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
      completion_tokens_details: { reasoning_tokens: 20 },
    };
    expect(read({ content: 'a' }, 'stop', usage).usage).toEqual({
      uncachedInputTokens: 10,
      cacheReadTokens: 60,
      cacheWriteTokens: 30,
      outputTokens: 50,
      reasoningTokens: 20,
    });
    const bad = expect.objectContaining({ code: 'provider_bad_response' });
    expect(() => read({ content: 'a' }, 'stop', { ...usage, prompt_tokens: 59 })).toThrow(bad);
    expect(() => read({ content: 'a' }, 'stop', { ...usage, completion_tokens: 19 })).toThrow(bad);
    expect(() => read({ content: 'a' }, 'stop', { ...usage, completion_tokens: -1 })).toThrow(bad);
    expect(read({ content: 'a' }, 'stop', { prompt_tokens: 5 }).usage.estimated).toBe(true);
  });

  it('counts the reasoning of a server that counts it beside the answer', () => {
    const counted = { prompt_tokens: 32, completion_tokens: 9, completion_tokens_details: { reasoning_tokens: 103 } };
    const tokens = (total: number, more?: object) =>
      read({ content: 'a' }, 'stop', { ...counted, ...more, total_tokens: total }).usage;
    expect(tokens(144)).toMatchObject({ uncachedInputTokens: 32, outputTokens: 112, reasoningTokens: 103 });
    expect(tokens(241, { completion_tokens: 106 })).toMatchObject({ outputTokens: 209, reasoningTokens: 103 });
    expect(tokens(138, { completion_tokens: 106 })).toMatchObject({ outputTokens: 106, reasoningTokens: 103 });
    expect(() => tokens(41)).toThrow(expect.objectContaining({ code: 'provider_bad_response' }));
  });
});
