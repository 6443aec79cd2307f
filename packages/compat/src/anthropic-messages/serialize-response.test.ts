import { describe, expect, it } from 'vitest';
import { answerOf } from './fixtures/answers.ts';
import { parseMessagesRequest } from './parse-request.ts';
import { serializeMessage } from './serialize-response.ts';

const text = { type: 'text', text: 'Hello' } as const;
const call = { type: 'tool-call', id: 'call_1', name: 'weather', arguments: {} } as const;

describe('serializeMessage', () => {
  it('has the members of a message', () => {
    expect(serializeMessage(answerOf([text]))).toMatchObject({
      id: 'msg_01jd8w3zq5e8x',
      type: 'message',
      role: 'assistant',
      model: 'openai/gpt-5',
      content: [{ type: 'text', text: 'Hello' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: 30,
        output_tokens: 20,
        cache_creation_input_tokens: 10,
        cache_read_input_tokens: 60,
        output_tokens_details: { thinking_tokens: 5 },
      },
    });
  });

  it('has blocks in the order of the parts, and an object as input', () => {
    const reasoning = { type: 'reasoning', text: 'Hm', by: 'openai/gpt-5', signature: 's' } as const;
    const { content, stop_reason } = serializeMessage(answerOf([reasoning, text, call]));
    expect(content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use']);
    expect(content[2]).toMatchObject({ id: 'call_1', name: 'weather', input: {} });
    expect(stop_reason).toBe('tool_use');
  });

  it('is sent back as it is, and becomes the same parts', () => {
    const parts = [
      { type: 'reasoning', text: 'Hm', by: 'openai/gpt-5', signature: 's' },
      { type: 'reasoning', text: '', by: 'openai/gpt-5', encrypted: 'e' },
      text,
      call,
    ] as const;
    const { content, role } = serializeMessage(answerOf(parts));
    const messages = [
      { role: 'user', content: 'Hi' },
      { role, content },
    ];
    const parsed = parseMessagesRequest({
      model: 'auto',
      max_tokens: 1,
      messages: JSON.parse(JSON.stringify(messages)),
    });
    expect(parsed.input.messages[1]?.content).toEqual(parts);
  });

  it.each([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['tool-calls', 'tool_use'],
    ['content-filter', 'refusal'],
  ] as const)('%s is %s', (finishReason, stop) => {
    expect(serializeMessage(answerOf([text], { finishReason })).stop_reason).toBe(stop);
  });

  it('has a refusal as its text and its reason', () => {
    const message = serializeMessage(answerOf([{ type: 'refusal', text: 'I cannot' }]));
    expect(message.content).toMatchObject([{ type: 'text', text: 'I cannot' }]);
    expect(message).toMatchObject({ stop_reason: 'refusal', stop_details: { explanation: 'I cannot' } });
  });

  it('packs ids of tools that Anthropic does not take', () => {
    const [block] = serializeMessage(answerOf([{ ...call, id: 'gemini_1_a.Eq+/==' }])).content;
    expect(block).toMatchObject({ id: expect.stringMatching(/^toolu_patchbay_[\w-]+$/) });
  });
});
