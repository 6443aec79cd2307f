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
  it('reports tool-calls as the finish reason, even when the server says stop', () => {
    const message = {
      content: null,
      tool_calls: [call('call_1', 'find', '{"city":"Bern"}'), call('call_2', 'now', '')],
    };
    expect(read(message, 'stop')).toMatchObject({
      content: [
        { type: 'tool-call', id: 'call_1', name: 'find', arguments: { city: 'Bern' } },
        { type: 'tool-call', id: 'call_2', name: 'now', arguments: {} },
      ],
      finishReason: 'tool-calls',
    });
    expect(read({ content: 'Wait.', tool_calls: [] }, 'tool_calls').finishReason).toBe('stop');
  });

  it('accepts an empty completion when reasoning used up the tokens', () => {
    expect(read({ content: null }, 'length')).toMatchObject({ content: '', finishReason: 'length' });
    expect(read({ content: 'Once', refusal: null }, 'length')).toMatchObject({
      content: 'Once',
      finishReason: 'length',
    });
  });

  it('knows a refusal and a filter, whole or half way', () => {
    const refusal = { type: 'refusal', text: 'I cannot.' };
    expect(read({ content: null, refusal: 'I cannot.' })).toMatchObject({
      content: [refusal],
      finishReason: 'content-filter',
    });
    expect(read({ content: 'Well.', refusal: 'I cannot.' }).content).toEqual([
      { type: 'text', text: 'Well.' },
      refusal,
    ]);
    const filtered = expect.objectContaining({ code: 'content_filtered' });
    expect(() => read({ content: '' }, 'content_filter')).toThrow(filtered);
    expect(read({ content: 'Once upon' }, 'content_filter').finishReason).toBe('content-filter');
  });

  it.each([
    ['no finish reason', { content: 'a' }, null],
    ['no content', { content: null }, 'stop'],
    ['empty content', { content: '' }, 'stop'],
    ['no content but reasoning', { content: null, reasoning: 'Hm.' }, 'stop'],
    ['content that is a number', { content: 7 }, 'stop'],
    ['content that is an empty list', { content: [] }, 'stop'],
    ['content of an unknown kind', { content: [{ type: 'hologram' }] }, 'stop'],
    ['tool calls that are no list', { content: 'a', tool_calls: {} }, 'stop'],
    ['a tool call without id', { tool_calls: [call('', 'find', '{}')] }, 'tool_calls'],
    ['a tool call without name', { tool_calls: [call('call_1', null, '{}')] }, 'tool_calls'],
  ])('rejects %s', (_, message, reason) => {
    expect(() => read(message, reason)).toThrow(expect.objectContaining({ code: 'provider_bad_response' }));
  });

  it.each([
    ['reasoning_content', { reasoning_content: 'Hm.' }],
    ['reasoning', { reasoning: 'Hm.' }],
    ['both', { reasoning_content: 'Hm.', reasoning: 'Hm.' }],
  ])('reads reasoning called %s, which comes before the text', (_, members) => {
    expect(read({ content: 'Hi', ...members }).content).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Hi' },
    ]);
  });

  it('reads content in parts', () => {
    const thinking = {
      type: 'thinking',
      thinking: [
        { type: 'text', text: 'H' },
        { type: 'text', text: 'm.' },
      ],
    };
    expect(read({ content: [thinking, { type: 'text', text: 'Hi' }] }).content).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Hi' },
    ]);
  });

  it('keeps the details of reasoning for the next request', () => {
    const details = [{ type: 'reasoning.encrypted', data: 'gAAAA', index: 0 }];
    const { content } = read({ content: 'Hi', reasoning: 'Hm.', reasoning_details: details });
    expect(content).toEqual([
      { type: 'reasoning', text: 'Hm.', encrypted: JSON.stringify(details) },
      { type: 'text', text: 'Hi' },
    ]);
  });

  it('keeps members without a name in the contract', () => {
    const annotations = [{ type: 'url_citation', url_citation: { url: 'https://a.test' } }];
    const message = { role: 'assistant', content: 'Hi', refusal: null, annotations, audio: null };
    expect(read(message).extra).toEqual({ 'openai-chat': { annotations } });
    expect(read({ ...message, annotations: [] })).not.toHaveProperty('extra');
    const logprobs = { content: [{ token: 'Hi', logprob: -0.1 }] };
    const document = { choices: [{ message: { content: 'Hi' }, finish_reason: 'stop', logprobs }] };
    expect(readChat(document, request, [], upstream).extra).toEqual({ 'openai-chat': { logprobs } });
    const signed = { ...call('call_1', 'find', '{}'), extra_content: { google: { thought_signature: 'sig' } } };
    expect(read({ tool_calls: [signed] }).content).toEqual([
      {
        type: 'tool-call',
        id: 'call_1',
        name: 'find',
        arguments: {},
        extra: { 'openai-chat': { extra_content: { google: { thought_signature: 'sig' } } } },
      },
    ]);
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
