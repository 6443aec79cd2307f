import { PatchbayError } from '@patchbay/core/plugin';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { ChatAnswer, ChatEvent } from '../gateway-types.ts';
import { mapError } from './map-error.ts';
import { errorEvent, type StreamOptions, writeChatStream } from './write-stream.ts';

const head = { id: 'chat_1', model: 'acme/model', createdAt: '2026-11-22T10:00:00.000Z' };
const base = { id: 'chat_1', object: 'chat.completion.chunk', created: 1_795_341_600, model: 'acme/model' };
const answer: ChatAnswer = {
  ...head,
  route: 'named',
  warnings: [],
  message: { role: 'assistant', content: 'Hello' },
  finishReason: 'stop',
  promptTokens: 10,
  completionTokens: 5,
  totalTokens: 15,
  usage: { uncachedInputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 5, reasoningTokens: 0 },
};
const call = (id: string, text: string): ChatEvent => ({ toolCall: { id, name: 'find', arguments: text } });

async function* streamOf(events: readonly (ChatEvent | Error)[]): AsyncGenerator<readonly ChatEvent[]> {
  for (const event of events) {
    if (event instanceof Error) throw event;
    yield [event];
  }
}

async function textOf(events: readonly (ChatEvent | Error)[], options?: StreamOptions): Promise<string> {
  let text = '';
  try {
    for await (const piece of writeChatStream(head, streamOf(events), options)) text += piece;
  } catch (error) {
    text += errorEvent(JSON.stringify(mapError(error).body));
  }
  return text;
}

/** The documents of a stream; `[DONE]` as it is. */
async function chunksOf(events: readonly (ChatEvent | Error)[], options?: StreamOptions): Promise<readonly unknown[]> {
  const lines = (await textOf(events, options)).split('\n\n').filter((line) => line.startsWith('data: '));
  return lines.map((line) => (line === 'data: [DONE]' ? '[DONE]' : JSON.parse(line.slice(6))));
}

const chunk = (delta: object, finish_reason: string | null = null) => ({
  ...base,
  choices: [{ index: 0, delta, finish_reason, logprobs: null }],
});
const begin = chunk({ role: 'assistant', content: '', refusal: null });

const client = (text: string) =>
  new OpenAI({
    apiKey: 'key',
    maxRetries: 0,
    fetch: async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }),
  });
const params = { model: 'acme/model', messages: [{ role: 'user', content: 'Hi' }] } as const;
const request = (): OpenAI.ChatCompletionCreateParamsStreaming => ({
  ...params,
  messages: [...params.messages],
  stream: true,
});

describe('writeChatStream', () => {
  it('begins with the role, and ends with an empty delta and [DONE]', async () => {
    expect(await chunksOf([{ delta: 'Hel' }, { delta: 'lo' }, { done: answer }])).toEqual([
      begin,
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo' }),
      chunk({}, 'stop'),
      '[DONE]',
    ]);
  });

  it('ends a refusal with stop', async () => {
    const message = { role: 'assistant', content: '', parts: [{ type: 'refusal', text: 'No.' }] } as const;
    const done = { ...answer, message, finishReason: 'content-filter' } as const;
    expect(await chunksOf([{ refusal: 'No.' }, { done }])).toEqual([
      begin,
      chunk({ refusal: 'No.' }),
      chunk({}, 'stop'),
      '[DONE]',
    ]);
  });

  it('has the usage where it was asked for', async () => {
    const chunks = await chunksOf([{ delta: 'Hello' }, { done: answer }], { includeUsage: true });
    expect(chunks.slice(0, 3)).toEqual(
      [begin, chunk({ content: 'Hello' }), chunk({}, 'stop')].map((each) => ({ ...each, usage: null })),
    );
    expect(chunks.slice(3)).toEqual([
      {
        ...base,
        choices: [],
        usage: expect.objectContaining({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }),
      },
      '[DONE]',
    ]);
  });

  it('announces each call once, and keeps the pieces of calls that alternate apart', async () => {
    const parts = [
      { type: 'tool-call', id: 'a', name: 'find', arguments: { x: 1 } },
      { type: 'tool-call', id: 'b', name: 'find', arguments: {} },
    ] as const;
    const done: ChatAnswer = {
      ...answer,
      finishReason: 'tool-calls',
      message: { role: 'assistant', content: '', parts },
    };
    const chunks = await chunksOf([call('a', ''), call('b', ''), call('a', '{"x"'), call('a', ':1}'), { done }]);
    const piece = (index: number, text: string) => chunk({ tool_calls: [{ index, function: { arguments: text } }] });
    const header = (index: number, id: string) =>
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name: 'find', arguments: '' } }] });
    expect(chunks).toEqual([
      begin,
      header(0, 'a'),
      header(1, 'b'),
      piece(0, '{"x"'),
      piece(0, ':1}'),
      piece(1, '{}'),
      chunk({}, 'tool_calls'),
      '[DONE]',
    ]);
  });

  it('streams reasoning, and its proof at the end', async () => {
    const parts = [
      { type: 'reasoning', text: 'Hm.', signature: 's', by: 'acme/model' },
      { type: 'text', text: 'Hi' },
    ] as const;
    const done = { ...answer, message: { role: 'assistant', content: 'Hi', parts } } as const;
    expect(
      await chunksOf([
        { reasoning: 'Hm.' },
        { reasoningEnd: { signature: 's' } },
        { delta: 'Hi' },
        { refusal: 'No.' },
        { done },
      ]),
    ).toEqual([
      begin,
      chunk({ reasoning_content: 'Hm.' }),
      chunk({ content: 'Hi' }),
      chunk({ refusal: 'No.' }),
      chunk({ reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', signature: 's', by: 'acme/model' }] }),
      chunk({}, 'stop'),
      '[DONE]',
    ]);
  });

  it('streams one call to clients of before 2024', async () => {
    const done: ChatAnswer = { ...answer, finishReason: 'tool-calls' };
    expect(await chunksOf([call('a', '{}'), call('b', '{}'), { done }], { asFunctionCall: true })).toEqual([
      begin,
      chunk({ function_call: { name: 'find', arguments: '' } }),
      chunk({ function_call: { arguments: '{}' } }),
      chunk({}, 'function_call'),
      '[DONE]',
    ]);
  });

  it('tells warnings in comments', async () => {
    const text = await textOf([{ delta: 'Hello' }, { done: { ...answer, warnings: ['seed is\nleft out'] } }]);
    expect(text).toContain('\n\n: warning: seed is left out\n\ndata: [DONE]\n\n');
  });

  it.each([
    ['fails', [{ delta: 'Hel' }, new PatchbayError('provider_error', 'acme answered 500')], 'acme answered 500'],
    ['ends too early', [{ delta: 'Hel' }], 'the cause is in the log of the server, under the id of this request'],
  ] as const)('never ends with [DONE] where it %s', async (_, events, message) => {
    const chunks = await chunksOf(events);
    expect(chunks.at(-1)).toEqual({ error: expect.objectContaining({ message, type: 'server_error' }) });
    expect(chunks).not.toContain('[DONE]');
    const stream = await client(await textOf(events)).chat.completions.create(request());
    const read = async () => {
      for await (const _chunk of stream);
    };
    await expect(read()).rejects.toThrow(OpenAI.APIError);
  });

  it('stops the source when the reader leaves', async () => {
    let isClosed = false;
    async function* source(): AsyncGenerator<readonly ChatEvent[]> {
      try {
        for (;;) yield [{ delta: 'x' }];
      } finally {
        isClosed = true;
      }
    }
    let pieces = 0;
    for await (const _piece of writeChatStream(head, source())) if (++pieces === 3) break;
    expect(isClosed).toBe(true);
  });

  it('is put together by the SDK', async () => {
    const parts = [
      { type: 'text', text: 'Hello' },
      { type: 'tool-call', id: 'a', name: 'find', arguments: { x: 1 } },
      { type: 'tool-call', id: 'b', name: 'find', arguments: {} },
    ] as const;
    const done: ChatAnswer = {
      ...answer,
      finishReason: 'tool-calls',
      message: { role: 'assistant', content: 'Hello', parts },
    };
    const events = [{ delta: 'Hel' }, { delta: 'lo' }, call('a', ''), call('b', ''), call('a', '{"x":1}'), { done }];
    const text = await textOf(events, { includeUsage: true });
    const completion = await client(text)
      .chat.completions.stream({ ...params, messages: [...params.messages] })
      .finalChatCompletion();
    expect(completion).toMatchObject({
      choices: [
        {
          finish_reason: 'tool_calls',
          message: {
            content: 'Hello',
            tool_calls: [{ function: { arguments: '{"x":1}' } }, { function: { arguments: '{}' } }],
          },
        },
      ],
      usage: { total_tokens: 15 },
    });
  });
});
