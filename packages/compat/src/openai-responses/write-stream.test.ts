import { PatchbayError } from '@patchbay/core/plugin';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { ChatAnswer, ChatEvent } from '../gateway-types.ts';
import { plainEcho } from './fixtures/echo.ts';
import { callNames } from './namespaces.ts';
import { completeItems, serializeResponse } from './serialize-response.ts';
import { errorEvent, type StreamOptions, writeResponseStream } from './write-stream.ts';

const head = { id: 'chat_1', model: 'acme/model', createdAt: '2026-11-22T10:00:00.000Z' };
const now = Date.parse('2026-11-22T10:00:02.000Z');
const options: StreamOptions = { echo: plainEcho, withProofs: true, names: new Map(), now: () => now };
const answer: ChatAnswer = {
  ...head,
  route: 'named',
  warnings: [],
  message: { role: 'assistant', content: 'Hello' },
  finishReason: 'stop',
  promptTokens: 10,
  completionTokens: 5,
  totalTokens: 15,
  usage: { uncachedInputTokens: 6, outputTokens: 5, cacheReadTokens: 4, cacheWriteTokens: 0, reasoningTokens: 2 },
};
const call = (id: string, text: string): ChatEvent => ({ toolCall: { id, name: 'find', arguments: text } });

async function* streamOf(events: readonly (ChatEvent | Error)[]): AsyncGenerator<readonly ChatEvent[]> {
  for (const event of events) {
    if (event instanceof Error) throw event;
    yield [event];
  }
}

async function textOf(events: readonly (ChatEvent | Error)[], given = options): Promise<string> {
  const pieces: string[] = [];
  try {
    for await (const piece of writeResponseStream(head, streamOf(events), given)) pieces.push(piece);
  } catch {
    const error = { message: 'gone', type: 'server_error', code: null, param: null };
    pieces.push(errorEvent(JSON.stringify({ error }), pieces.at(-1) ?? ''));
  }
  return pieces.join('');
}

interface SentEvent {
  readonly type: string;
  readonly sequence_number?: number;
  readonly output_index?: number;
  readonly response?: OpenAI.Responses.Response;
}

async function eventsOf(events: readonly (ChatEvent | Error)[], given = options): Promise<readonly SentEvent[]> {
  const blocks = (await textOf(events, given)).split('\n\n').filter((block) => block.startsWith('event: '));
  return blocks.map((block) => {
    const [name, data] = block.split('\n');
    const event = JSON.parse((data ?? '').slice('data: '.length)) as SentEvent;
    expect(name).toBe(`event: ${event.type}`);
    return event;
  });
}

const typesOf = (events: readonly SentEvent[]) => events.map(({ type }) => type.replace(/^response\./, ''));

describe('writeResponseStream', () => {
  it('writes the events of a message in the order of the specification, numbered from 0', async () => {
    const events = await eventsOf([{ delta: 'Hel' }, { delta: 'lo' }, { done: answer }]);
    expect(typesOf(events)).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ]);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
  });

  it('ends with the whole response, the same as without streaming, and [DONE]', async () => {
    const events = await eventsOf([{ delta: 'Hello' }, { done: answer }]);
    expect(events.at(-1)?.response).toEqual(serializeResponse(answer, { ...options, now }));
    expect((await textOf([{ delta: 'Hello' }, { done: answer }])).endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('closes reasoning with its proof before the message', async () => {
    const by = 'acme/model';
    const proven: ChatAnswer = {
      ...answer,
      message: {
        ...answer.message,
        parts: [
          { type: 'reasoning', text: 'Let me see', signature: 'sig', by },
          { type: 'text', text: 'Hello' },
        ],
      },
    };
    const events = await eventsOf([
      { reasoning: 'Let me ' },
      { reasoning: 'see' },
      { reasoningEnd: { signature: 'sig' } },
      { delta: 'Hello' },
      { done: proven },
    ]);
    expect(typesOf(events).slice(2, 9)).toEqual([
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
    ]);
    expect(events.at(-1)?.response).toEqual(serializeResponse(proven, { ...options, now }));
  });

  it('keeps calls apart whose pieces alternate, and completes each with its arguments', async () => {
    const parts = ['a', 'b'].map((id) => ({ type: 'tool-call' as const, id, name: 'find', arguments: { id } }));
    const called: ChatAnswer = {
      ...answer,
      message: { role: 'assistant', content: '', parts },
      finishReason: 'tool-calls',
    };
    const events = await eventsOf([
      call('a', '{"id":'),
      call('b', '{"id":'),
      call('a', '"a"}'),
      call('b', '"b"}'),
      { done: called },
    ]);
    expect(events.filter(({ type }) => type === 'response.output_item.done').map((each) => each.output_index)).toEqual([
      0, 1,
    ]);
    expect(events.at(-1)?.response).toEqual(serializeResponse(called, { ...options, now }));
  });

  it('names a function of a namespace as the client does', async () => {
    const part = { type: 'tool-call', id: 'a', name: 'crm__find', arguments: {} } as const;
    const called: ChatAnswer = { ...answer, message: { role: 'assistant', content: '', parts: [part] } };
    const names = callNames([{ type: 'namespace', name: 'crm', tools: [{ type: 'function', name: 'find' }] }]);
    const [item] = completeItems(called, names);
    expect(item).toMatchObject({ type: 'function_call', namespace: 'crm', name: 'find', call_id: 'a' });
    const piece = { toolCall: { id: 'a', name: 'crm__find', arguments: '{}' } };
    const events = await eventsOf([piece, { done: called }], { ...options, names });
    expect(events.at(-1)?.response).toMatchObject({ output: [item] });
    expect(events.find(({ type }) => type === 'response.output_item.added')).toMatchObject({
      item: { namespace: 'crm', name: 'find' },
    });
  });

  it('gives a call without arguments an empty object', async () => {
    const part = { type: 'tool-call', id: 'a', name: 'find', arguments: {} } as const;
    const called: ChatAnswer = { ...answer, message: { role: 'assistant', content: '', parts: [part] } };
    const events = await eventsOf([call('a', ''), { done: called }]);
    expect(events.at(-1)?.response).toEqual(serializeResponse(called, { ...options, now }));
  });

  it('reports a cut completion as incomplete, with the reason', async () => {
    const cut: ChatAnswer = { ...answer, finishReason: 'length' };
    const last = (await eventsOf([{ delta: 'Hello' }, { done: cut }])).at(-1);
    expect(last?.type).toBe('response.incomplete');
    expect(last?.response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      completed_at: null,
    });
  });

  it.each([
    ['fails', [{ delta: 'Hel' }, new PatchbayError('provider_error', 'cut off at 10.0.0.7')]],
    ['ends without its answer', [{ delta: 'Hel' }]],
  ] as const)('ends a stream that %s as failed, without a mark of success or a secret', async (_, pieces) => {
    const text = await textOf(pieces);
    expect(text).not.toMatch(/\[DONE\]|response\.completed|10\.0\.0\.7/);
    const [failed, last] = (await eventsOf(pieces)).slice(-2);
    expect(failed?.response).toMatchObject({ status: 'failed', error: { code: 'server_error' }, output: [] });
    expect(last).toMatchObject({ type: 'error', message: 'gone', error: { message: 'gone', type: 'server_error' } });
    expect(last?.sequence_number).toBe((failed?.sequence_number ?? 0) + 1);
  });

  it('is read by the client of OpenAI', async () => {
    const pieces = [{ delta: 'Hello' }, call('a', '{"id":1}'), { done: answer }];
    const text = await textOf(pieces);
    const client = new OpenAI({
      apiKey: 'key',
      maxRetries: 0,
      fetch: async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }),
    });
    const stream = client.responses.stream({ model: 'acme/model', input: 'Hi' });
    const response = await stream.finalResponse();
    expect(response.output_text).toBe('Hello');
    expect(response.output[1]).toMatchObject({ type: 'function_call', call_id: 'a', arguments: '{"id":1}' });
    expect(response.usage?.total_tokens).toBe(15);
  });
});
