import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { ChatAnswer } from '../gateway-types.ts';
import { parseChatRequest } from './parse-request.ts';
import { serializeChatAnswer } from './serialize-response.ts';

const answer: ChatAnswer = {
  id: 'chat_1',
  model: 'acme/model',
  createdAt: '2026-11-22T10:00:00.900Z',
  route: 'named',
  warnings: [],
  message: { role: 'assistant', content: 'Hello' },
  finishReason: 'stop',
  promptTokens: 10,
  completionTokens: 5,
  totalTokens: 15,
  usage: { uncachedInputTokens: 3, cacheReadTokens: 4, cacheWriteTokens: 3, outputTokens: 5, reasoningTokens: 2 },
};
const call = (id: string, values = {}) => ({ type: 'tool-call', id, name: 'find', arguments: values }) as const;

describe('serializeChatAnswer', () => {
  it('writes every member', () => {
    expect(serializeChatAnswer(answer)).toEqual({
      id: 'chat_1',
      object: 'chat.completion',
      created: 1_795_341_600,
      model: 'acme/model',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello', refusal: null },
          finish_reason: 'stop',
          logprobs: null,
        },
      ],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 15,
        prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    });
  });

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['tool-calls', 'tool_calls'],
    ['content-filter', 'content_filter'],
  ] as const)('maps the reason %s', (finishReason, expected) => {
    expect(serializeChatAnswer({ ...answer, finishReason })).toMatchObject({ choices: [{ finish_reason: expected }] });
  });

  it('ends a refusal with stop, whatever its vendor calls the end', () => {
    const message = { role: 'assistant', content: '', parts: [{ type: 'refusal', text: 'No.' }] } as const;
    for (const finishReason of ['stop', 'content-filter'] as const) {
      expect(serializeChatAnswer({ ...answer, message, finishReason })).toMatchObject({
        choices: [{ message: { content: null, refusal: 'No.' }, finish_reason: 'stop' }],
      });
    }
  });

  it('writes calls, a refusal and reasoning', () => {
    const parts = [
      { type: 'reasoning', text: 'Hm.', signature: 's', by: 'acme/model' },
      { type: 'reasoning', text: '', encrypted: 'e', by: 'acme/model' },
      { type: 'refusal', text: 'No.' },
      call('a', { city: 'Bern' }),
      call('b'),
    ] as const;
    const message = { role: 'assistant', content: '', parts } as const;
    expect(serializeChatAnswer({ ...answer, message })).toMatchObject({
      choices: [
        {
          message: {
            content: null,
            refusal: 'No.',
            reasoning_content: 'Hm.',
            reasoning_details: [
              { type: 'reasoning.text', text: 'Hm.', signature: 's', by: 'acme/model' },
              { type: 'reasoning.encrypted', data: 'e', by: 'acme/model' },
            ],
            tool_calls: [
              { id: 'a', type: 'function', function: { name: 'find', arguments: '{"city":"Bern"}' } },
              { id: 'b', type: 'function', function: { name: 'find', arguments: '{}' } },
            ],
          },
        },
      ],
    });
  });

  it('writes a call for clients of before 2024', () => {
    const message = { role: 'assistant', content: '', parts: [call('a')] } as const;
    const written = serializeChatAnswer({ ...answer, message, finishReason: 'tool-calls' }, { asFunctionCall: true });
    expect(written).toMatchObject({
      choices: [{ message: { function_call: { name: 'find', arguments: '{}' } }, finish_reason: 'function_call' }],
    });
  });

  it('is read by the SDK, and its message can be sent back', async () => {
    const parts = [
      { type: 'reasoning', text: 'Hm.', signature: 's', by: 'acme/model' },
      { type: 'text', text: 'Hello' },
    ] as const;
    const body = serializeChatAnswer({ ...answer, message: { role: 'assistant', content: 'Hello', parts } });
    const client = new OpenAI({ apiKey: 'key', fetch: async () => Response.json(body) });
    const user = { role: 'user', content: 'Hi' } as const;
    const completion = await client.chat.completions.create({ model: 'acme/model', messages: [user] });
    const { message } = completion.choices[0] as OpenAI.ChatCompletion.Choice;
    const { input, warnings } = parseChatRequest({ model: 'acme/model', messages: [user, message, user] });
    expect(input.messages).toEqual([user, { role: 'assistant', content: parts }, user]);
    expect(warnings).toEqual([]);
  });
});
