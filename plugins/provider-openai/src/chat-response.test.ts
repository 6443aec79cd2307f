import { type ChatDelta, type ChatRequest, createUpstreamClient, type JsonFields } from '@patchbay/core/provider';
import { describe, expect, it } from 'vitest';
import { readChat, readChatStream } from './chat-response.ts';
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
      content: '',
      toolCalls: [
        { id: 'call_1', name: 'find', arguments: { city: 'Bern' } },
        { id: 'call_2', name: 'now', arguments: {} },
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
  ])('rejects %s', (_, message, reason) => {
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

const done = undefined;
const end = (finish_reason: string) => ({ choices: [{ index: 0, delta: {}, finish_reason }] });
const delta = (value: object) => ({ choices: [{ index: 0, delta: value, finish_reason: null }] });
const piece = (index: number, values: string, first: object = {}, name?: string) =>
  delta({ tool_calls: [{ index, ...first, function: { ...(name ? { name } : {}), arguments: values } }] });

async function readStream(...documents: readonly (JsonFields | undefined)[]): Promise<ChatDelta[]> {
  const events = (async function* () {
    for (const data of documents) yield { name: undefined, data };
  })();
  const deltas: ChatDelta[] = [];
  for await (const one of readChatStream(events, request, ['adapted'], upstream)) deltas.push(one);
  return deltas;
}

describe('readChatStream', () => {
  it('assembles tool calls whose deltas are interleaved', async () => {
    const deltas = await readStream(
      delta({ role: 'assistant', content: null }),
      piece(0, '', { id: 'call_1', type: 'function' }, 'find'),
      piece(1, '{"ci', { id: 'call_2', type: 'function' }, 'find'),
      piece(0, '{"city":'),
      piece(1, 'ty":"Oslo"}'),
      piece(0, '"Bern"}'),
      end('tool_calls'),
      { choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } },
      done,
    );
    expect(deltas).toEqual([
      // Of the first call only.
      { type: 'tool-arguments', text: '{"city":' },
      { type: 'tool-arguments', text: '"Bern"}' },
      { type: 'tool-call', toolCall: { id: 'call_1', name: 'find', arguments: { city: 'Bern' } } },
      { type: 'tool-call', toolCall: { id: 'call_2', name: 'find', arguments: { city: 'Oslo' } } },
      {
        type: 'finish',
        finishReason: 'tool-calls',
        usage: {
          uncachedInputTokens: 7,
          cacheReadTokens: 0,
          cacheWriteTokens: 0,
          outputTokens: 3,
          reasoningTokens: 0,
        },
        warnings: ['adapted'],
      },
    ]);
  });

  it('estimates the usage of servers that do not send it', async () => {
    const deltas = await readStream(delta({ content: 'Hello' }), end('stop'), done);
    expect(deltas.at(-1)).toMatchObject({ type: 'finish', usage: { estimated: true, outputTokens: 2 } });
  });

  it('completes a stream that has a finish reason and no [DONE]', async () => {
    expect((await readStream(delta({ content: 'Hello' }), end('stop'))).at(-1)).toMatchObject({
      type: 'finish',
      finishReason: 'stop',
    });
  });

  it('ends with the reason of a filter that came half way', async () => {
    expect((await readStream(delta({ content: 'Once' }), end('content_filter'), done)).at(-1)).toMatchObject({
      finishReason: 'content-filter',
    });
    await expect(readStream(delta({ refusal: 'I cannot.' }), end('stop'), done)).rejects.toMatchObject({
      code: 'content_filtered',
    });
  });

  it.each([
    ['without a finish reason', [delta({ content: 'a' }), done]],
    ['of nothing', [done]],
    ['that says nothing', [end('stop'), done]],
    ['with a tool call without id', [piece(0, '{}', {}, 'find'), end('tool_calls'), done]],
    ['with content that is no text', [delta({ content: 7 }), end('stop'), done]],
  ])('one %s has failed', async (_, documents) => {
    await expect(readStream(...documents)).rejects.toMatchObject({ code: 'provider_bad_response' });
  });

  it('blames the model, not the server, for a tool call that was cut off', async () => {
    const documents = [piece(0, '{"city":', { id: 'call_1' }, 'find'), end('length'), done];
    await expect(readStream(...documents)).rejects.toMatchObject({ code: 'function_call_invalid' });
  });

  it('passes on what the error within says', async () => {
    const error = { message: 'Too long.', code: 'context_length_exceeded' };
    await expect(readStream(delta({ content: 'a' }), { error })).rejects.toMatchObject({
      code: 'context_length_exceeded',
    });
    await expect(readStream({ error: { message: 'Oops', type: 'server_error' } })).rejects.toMatchObject({
      code: 'provider_error',
      upstream: { kind: 'failed' },
    });
  });
});
