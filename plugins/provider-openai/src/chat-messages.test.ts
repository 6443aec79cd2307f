import type { ChatRequest, Message, ModelInfo } from '@patchbay/core/provider';
import { describe, expect, it } from 'vitest';
import { chatRequest } from './chat-request.ts';
import { presets } from './presets.ts';

const model: ModelInfo = { name: 'gpt-4.1', capabilities: ['chat'], vendor: 'openai' };

function write(messages: ChatRequest['messages'], known = model, preset?: string) {
  const of = preset === undefined ? undefined : presets[preset];
  const { body, warnings } = chatRequest('openai', known, { model: known.name, messages }, of);
  return { messages: body.messages, warnings };
}

const call = { type: 'tool-call', id: 'call_1', name: 'find', arguments: { city: 'Bern' } } as const;
const wireCall = { id: 'call_1', type: 'function', function: { name: 'find', arguments: '{"city":"Bern"}' } };

describe('chatMessages', () => {
  it('writes messages of every kind', () => {
    const id = `call_1.${'x'.repeat(80)}`;
    const short = expect.stringMatching(/^call_[0-9a-f]{32}$/);
    const written = write([
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: [{ ...call, id }] },
      { role: 'tool', content: 'sunny', toolCallId: id },
      { role: 'assistant', content: 'Sunny.' },
    ]);
    expect(written).toEqual({
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
        { role: 'user', content: 'Weather?' },
        { role: 'assistant', content: null, tool_calls: [{ ...wireCall, id: short }] },
        { role: 'tool', content: 'sunny', tool_call_id: short },
        { role: 'assistant', content: 'Sunny.' },
      ],
      warnings: [],
    });
  });

  it('writes every part of a user, with the members of this format', () => {
    const breakpoint = { prompt_cache_breakpoint: { mode: 'explicit' } };
    const { messages, warnings } = write([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?', extra: { 'openai-chat': breakpoint } },
          { type: 'image', url: 'https://example.test/a.png', extra: { 'openai-chat': { detail: 'high' } } },
          {
            type: 'image',
            url: 'https://example.test/b.png',
            extra: { 'openai-chat': { image_url: { url: 'https://other.test', detail: 'low' } } },
          },
          { type: 'image', data: 'AA==', mediaType: 'image/png', extra: { 'anthropic-messages': { title: 'a' } } },
          { type: 'audio', data: 'BB==', mediaType: 'audio/mpeg' },
          { type: 'file', data: 'CC==', mediaType: 'application/pdf', name: 'a.pdf' },
          { type: 'file', data: 'CC==', mediaType: 'application/pdf' },
          { type: 'file', url: 'data:application/pdf;base64,DD==', name: 'b.pdf' },
        ],
        extra: { 'openai-chat': { name: 'ada' } },
      },
    ]);
    expect(messages).toEqual([
      {
        role: 'user',
        name: 'ada',
        content: [
          { type: 'text', text: 'What is this?', ...breakpoint },
          { type: 'image_url', image_url: { url: 'https://example.test/a.png', detail: 'high' } },
          { type: 'image_url', image_url: { url: 'https://example.test/b.png', detail: 'low' } },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
          { type: 'input_audio', input_audio: { data: 'BB==', format: 'mp3' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,CC==' } },
          { type: 'file', file: { filename: 'document.pdf', file_data: 'data:application/pdf;base64,CC==' } },
          { type: 'file', file: { filename: 'b.pdf', file_data: 'data:application/pdf;base64,DD==' } },
        ],
      },
    ]);
    expect(warnings).toEqual(['members that only anthropic-messages has were not sent: title']);
  });

  it.each<[string, Extract<Message, { role: 'user' }>['content']]>([
    ['audio of another format', [{ type: 'audio', data: 'AA==', mediaType: 'audio/ogg' }]],
    ['a file that is no PDF', [{ type: 'file', data: 'AA==', mediaType: 'text/csv' }]],
    [
      'a file by its id',
      [
        {
          type: 'file',
          data: 'AA==',
          mediaType: 'application/pdf',
          extra: { 'openai-chat': { file: { file_id: 'file-1' } } },
        },
      ],
    ],
    ['a file by its address', [{ type: 'file', url: 'https://example.test/a.pdf' }]],
  ])('refuses %s before anything is sent', (_, content) => {
    expect(() => write([{ role: 'user', content }])).toThrow(
      expect.objectContaining({ code: 'unsupported_parameter' }),
    );
  });

  it('knows what OpenRouter takes beyond the others', () => {
    const other: ModelInfo = { name: 'm', capabilities: ['chat'] };
    const content = [
      { type: 'file', url: 'https://example.test/a.pdf', name: 'a.pdf' },
      { type: 'text', text: 'Long.', cache: { ttl: '1h' } },
    ] as const;
    expect(write([{ role: 'user', content }], other, 'openrouter').messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'file', file: { filename: 'a.pdf', file_data: 'https://example.test/a.pdf' } },
          { type: 'text', text: 'Long.', cache_control: { type: 'ephemeral', ttl: '1h' } },
        ],
      },
    ]);
  });

  it('calls the system a developer where the caller does', () => {
    const extra = { 'openai-chat': { role: 'developer' } };
    expect(write([{ role: 'system', content: 'Be brief.', extra }]).messages).toEqual([
      { role: 'developer', content: 'Be brief.' },
    ]);
    expect(write([{ role: 'user', content: 'Hi', extra }]).messages).toEqual([{ role: 'user', content: 'Hi' }]);
  });

  it('puts what is no text of a tool result behind all results of the turn, and says so', () => {
    const image = { type: 'image', url: 'https://example.test/a.png' } as const;
    const { messages, warnings } = write([
      { role: 'assistant', content: [call, { ...call, id: 'call_2' }] },
      { role: 'tool', toolCallId: 'call_1', content: [{ type: 'text', text: 'Look.' }, image] },
      { role: 'tool', toolCallId: 'call_2', content: 'No such city', isError: true },
      { role: 'user', content: 'And?' },
    ]);
    expect(messages.slice(1)).toEqual([
      { role: 'tool', tool_call_id: 'call_1', content: 'Look.' },
      { role: 'tool', tool_call_id: 'call_2', content: 'No such city' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Of the result of the tool call call_1:' },
          { type: 'image_url', image_url: { url: 'https://example.test/a.png' } },
        ],
      },
      { role: 'user', content: 'And?' },
    ]);
    expect(warnings).toEqual([
      'openai has no mark for tool results that are errors: their content alone says so',
      "openai has texts as tool results only: their images and files were sent as the user's",
    ]);
  });

  it('keeps several texts of a tool result apart', () => {
    const texts = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ] as const;
    expect(write([{ role: 'tool', toolCallId: 'call_1', content: texts }]).messages).toEqual([
      { role: 'tool', tool_call_id: 'call_1', content: texts },
    ]);
  });
});

describe('turns of the assistant', () => {
  const reasoning = { type: 'reasoning', text: 'Hm.', by: 'openai/m' } as const;
  const turn = (content: Extract<Message, { role: 'assistant' }>['content'], preset?: string) =>
    write([{ role: 'assistant', content }], { name: 'm', capabilities: ['chat'] }, preset);

  it('has texts, refusals and calls', () => {
    expect(turn([{ type: 'text', text: 'Wait.' }, call])).toEqual({
      messages: [{ role: 'assistant', content: 'Wait.', tool_calls: [wireCall] }],
      warnings: [],
    });
    const refusal = { type: 'refusal', text: 'I cannot.' } as const;
    expect(turn([{ type: 'text', text: 'Well.' }, refusal]).messages).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Well.' },
          { type: 'refusal', refusal: 'I cannot.' },
        ],
      },
    ]);
    expect(turn([]).messages).toEqual([{ role: 'assistant', content: '' }]);
  });

  it('keeps what a call has beyond the contract', () => {
    const extra_content = { google: { thought_signature: 'sig' } };
    const { messages } = turn([{ ...call, extra: { 'openai-chat': { extra_content } } }]);
    expect(messages).toEqual([{ role: 'assistant', content: null, tool_calls: [{ ...wireCall, extra_content }] }]);
  });

  it.each([
    [undefined, { reasoning_content: 'Hm.', content: 'Hi' }],
    ['deepseek', { reasoning_content: 'Hm.', content: 'Hi' }],
    ['groq', { reasoning: 'Hm.', content: 'Hi' }],
    [
      'mistral',
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
          { type: 'text', text: 'Hi' },
        ],
      },
    ],
  ])('gives reasoning back in the form of the server %s', (preset, members) => {
    expect(turn([reasoning, { type: 'text', text: 'Hi' }], preset)).toEqual({
      messages: [{ role: 'assistant', ...members }],
      warnings: [],
    });
  });

  it('says to DeepSeek that a turn of another model had no reasoning, and to others nothing', () => {
    const said = { type: 'text', text: 'Hi' } as const;
    const of = (preset: string) => turn([said], preset).messages;
    expect(of('deepseek')).toEqual([{ role: 'assistant', content: 'Hi', reasoning_content: '' }]);
    expect(of('groq')).toEqual([{ role: 'assistant', content: 'Hi' }]);
  });

  it('sends OpenRouter no reasoning without its proof, which it would take for a false one', () => {
    const { messages, warnings } = turn([reasoning, call], 'openrouter');
    expect(messages).toEqual([{ role: 'assistant', content: null, tool_calls: [wireCall] }]);
    expect(warnings).toHaveLength(1);
  });

  it('gives the details of OpenRouter back as they came', () => {
    const details = [{ type: 'reasoning.text', text: 'Hm.', signature: 'sig', index: 0 }];
    expect(turn([{ ...reasoning, encrypted: JSON.stringify(details) }, call], 'openrouter').messages).toEqual([
      { role: 'assistant', content: null, reasoning_details: details, tool_calls: [wireCall] },
    ]);
  });

  it('says where there is no place for reasoning', () => {
    const lost = ['openai has no place for the reasoning of earlier turns in chat completions: it was not sent'];
    const turns = [{ role: 'assistant', content: [reasoning, { type: 'text', text: 'Hi' }] }] as const;
    expect(write(turns)).toEqual({ messages: [{ role: 'assistant', content: 'Hi' }], warnings: lost });
    expect(turn([{ ...reasoning, encrypted: 'gAAAA' }, call], 'deepseek').warnings).toEqual(lost);
  });

  it('says where the order of a turn is lost', () => {
    const { messages, warnings } = turn([call, { type: 'text', text: 'Wait.' }]);
    expect(messages).toEqual([{ role: 'assistant', content: 'Wait.', tool_calls: [wireCall] }]);
    expect(warnings).toEqual([
      'openai has reasoning, text and tool calls of a turn in this order only: they were put in it',
    ]);
  });
});
