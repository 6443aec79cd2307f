import { PatchbayError } from '@patchbay/core/plugin';
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { parseChatRequest } from './parse-request.ts';

const parse = (messages: unknown) => parseChatRequest({ model: 'acme/model', messages });
const read = (...messages: (OpenAI.ChatCompletionMessageParam | object)[]) => parse(messages).input.messages;
const user = { role: 'user', content: 'Hi' };
const call = (id: string, values = '{}', name = 'find') => ({
  id,
  type: 'function',
  function: { name, arguments: values },
});
const part = (content: object) => [{ role: 'user', content: [content] }];

function pointerOf(messages: unknown): string | undefined {
  try {
    parse(messages);
  } catch (error) {
    if (!PatchbayError.is(error)) throw error;
    return error.errors[0]?.pointer;
  }
  return undefined;
}

describe('messages', () => {
  it('are of every role', () => {
    expect(read({ role: 'developer', content: 'Be brief.' }, { role: 'system', content: 'Really.' }, user)).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'system', content: 'Really.' },
      user,
    ]);
  });

  it('have calls of tools, and their results behind them in any order', () => {
    const calls = [call('a', '{"city":"Bern"}'), call('b', '')];
    expect(
      read(
        user,
        { role: 'assistant', content: null, tool_calls: calls },
        { role: 'tool', tool_call_id: 'b', content: 'now' },
        { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'sunny' }] },
      ),
    ).toEqual([
      user,
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', id: 'a', name: 'find', arguments: { city: 'Bern' } },
          { type: 'tool-call', id: 'b', name: 'find', arguments: {} },
        ],
      },
      { role: 'tool', toolCallId: 'b', content: 'now' },
      { role: 'tool', toolCallId: 'a', content: [{ type: 'text', text: 'sunny' }] },
    ]);
  });

  it('may be those of before 2024', () => {
    const messages = read(
      { role: 'assistant', content: null, function_call: { name: 'find', arguments: '{"a":1}' } },
      { role: 'function', name: 'find', content: 'sunny' },
    );
    expect(messages).toEqual([
      { role: 'assistant', content: [{ type: 'tool-call', id: 'call_messages_0', name: 'find', arguments: { a: 1 } }] },
      { role: 'tool', toolCallId: 'call_messages_0', content: 'sunny' },
    ]);
  });

  it('may be responses as they came', () => {
    const message: OpenAI.ChatCompletionMessage = {
      role: 'assistant',
      content: 'Hello',
      refusal: null,
      annotations: [],
    };
    expect(parse([message, user])).toMatchObject({
      input: { messages: [{ role: 'assistant', content: 'Hello' }, user] },
      warnings: [],
    });
  });

  it('keep a refusal apart from the text', () => {
    expect(read({ role: 'assistant', content: null, refusal: 'No.' }, user)[0]).toEqual({
      role: 'assistant',
      content: [{ type: 'refusal', text: 'No.' }],
    });
  });

  it('keep ids of tool calls as they are, whatever vendor made them', () => {
    const id = `gemini_1_${'Eq+/=.'.repeat(100)}`;
    const messages = read(
      { role: 'assistant', tool_calls: [call(id)] },
      { role: 'tool', tool_call_id: id, content: '' },
    );
    expect(messages).toMatchObject([{ content: [{ id }] }, { toolCallId: id }]);
  });

  it('keep reasoning with its model, and warn where no model is named', () => {
    const details = [{ type: 'reasoning.text', text: 'Hm.', signature: 's', by: 'acme/model' }];
    const own = parse([{ role: 'assistant', content: 'Hi', reasoning_content: 'Hm.', reasoning_details: details }]);
    expect(own.input.messages[0]?.content).toEqual([
      { type: 'reasoning', text: 'Hm.', signature: 's', by: 'acme/model' },
      { type: 'text', text: 'Hi' },
    ]);
    expect(own.warnings).toEqual([]);
    const other = parse([{ role: 'assistant', content: 'Hi', reasoning_content: 'Hm.' }]);
    expect(other.input.messages[0]?.content).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Hi' },
    ]);
    expect(other.warnings).toEqual(['reasoning that does not say which model it is from is sent to no model']);
  });

  it('mark the prompt for caches, in the way of OpenAI and in that of gateways', () => {
    const prompt_cache_breakpoint = { mode: 'explicit', ttl: '30m' };
    const cache_control = { type: 'ephemeral', ttl: '1h' };
    const content = [
      { type: 'text', text: 'a', prompt_cache_breakpoint },
      { type: 'text', text: 'b', cache_control },
    ];
    expect(read({ role: 'system', content }, user)[0]?.content).toEqual([
      { type: 'text', text: 'a', cache: {}, extra: { 'openai-chat': { prompt_cache_breakpoint } } },
      { type: 'text', text: 'b', cache: { ttl: '1h' } },
    ]);
  });

  it('keep names and details for models with this API', () => {
    const image = { url: 'https://example.com/a.png', detail: 'low' };
    const { input, announced } = parse([
      { role: 'user', name: 'Ada', content: [{ type: 'image_url', image_url: image }] },
    ]);
    expect(input.messages).toEqual([
      {
        role: 'user',
        content: [{ type: 'image', url: image.url, extra: { 'openai-chat': { image_url: image } } }],
        extra: { 'openai-chat': { name: 'Ada' } },
      },
    ]);
    expect(announced).toHaveLength(2);
  });

  it.each([
    ['/messages/0', [7]],
    ['/messages/0/role', [{ content: 'Hi' }]],
    ['/messages/0/role', [{ role: 'robot', content: 'Hi' }]],
    ['/messages/0/content', [{ role: 'user' }]],
    ['/messages/0/content', [{ role: 'user', content: 7 }]],
    ['/messages/0/content', [{ role: 'user', content: [] }]],
    ['/messages/0/content', [{ role: 'assistant', content: null }]],
    ['/messages/0/content/0', [{ role: 'user', content: ['Hi'] }]],
    ['/messages/0/content/0/type', part({ type: 'video' })],
    ['/messages/0/content/0/type', part({ type: 'toString' })],
    ['/messages/0/content/0/text', part({ type: 'text' })],
    ['/messages/0/content/0/image_url', part({ type: 'image_url' })],
    ['/messages/0/content/0/image_url', part({ type: 'image_url', image_url: 'https://example.com/a.png' })],
    ['/messages/0/content/0/image_url/url', part({ type: 'image_url', image_url: { url: 'ftp://example.com' } })],
    [
      '/messages/0/content/0/image_url/url',
      part({ type: 'image_url', image_url: { url: 'http://169.254.169.254/x' } }),
    ],
    ['/messages/0/content/0/image_url/url', part({ type: 'image_url', image_url: { url: 'data:image/png,abc' } })],
    [
      '/messages/0/content/0/image_url/detail',
      part({ type: 'image_url', image_url: { url: 'https://a.b', detail: 1 } }),
    ],
    [
      '/messages/0/content/0/input_audio/format',
      part({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'ogg' } }),
    ],
    [
      '/messages/0/content/0/input_audio/data',
      part({ type: 'input_audio', input_audio: { data: '?', format: 'wav' } }),
    ],
    ['/messages/0/content/0/file/file_id', part({ type: 'file', file: { file_id: 'file-1' } })],
    ['/messages/0/content/0/file/file_data', part({ type: 'file', file: {} })],
    [
      '/messages/0/content/0/cache_control/ttl',
      part({ type: 'text', text: '', cache_control: { type: 'ephemeral', ttl: '1d' } }),
    ],
    ['/messages/0/audio', [{ role: 'assistant', audio: { id: 'audio_1' } }]],
    [
      '/messages/0/tool_calls/0/id',
      [{ role: 'assistant', tool_calls: [{ function: { name: 'a', arguments: '{}' } }] }],
    ],
    ['/messages/0/tool_calls/0/type', [{ role: 'assistant', tool_calls: [{ id: 'a', type: 'custom', custom: {} }] }]],
    ['/messages/0/tool_calls/0/function/name', [{ role: 'assistant', tool_calls: [call('a', '{}', '')] }]],
    ['/messages/0/tool_calls/0/function/arguments', [{ role: 'assistant', tool_calls: [call('a', '{')] }]],
    ['/messages/0/tool_calls/0/function/arguments', [{ role: 'assistant', tool_calls: [call('a', '[]')] }]],
    [
      '/messages/0/tool_calls/0/function/arguments',
      [{ role: 'assistant', tool_calls: [call('a', `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`)] }],
    ],
    ['/messages/0/tool_calls/1/id', [{ role: 'assistant', tool_calls: [call('a'), call('a')] }]],
    ['/messages/0', [{ role: 'assistant', tool_calls: [call('a')] }]],
    ['/messages/1', [{ role: 'assistant', tool_calls: [call('a')] }, user]],
    ['/messages/0/tool_call_id', [{ role: 'tool', tool_call_id: 'a', content: '' }]],
    ['/messages/0/name', [{ role: 'function', name: 'find', content: '' }]],
  ])('are refused at %s', (pointer, messages) => {
    expect(pointerOf(messages)).toBe(pointer);
  });
});
