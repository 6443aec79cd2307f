import { type ChatDelta, type ChatRequest, createUpstreamClient, type JsonFields } from '@patchbay/core/provider';
import { describe, expect, it } from 'vitest';
import { readChatStream } from './chat-stream.ts';
import { readError } from './read-error.ts';

const upstream = createUpstreamClient({ name: 'openai', fetch, secrets: [], readError });
const request: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
const done = undefined;
const end = (finish_reason: string) => ({ choices: [{ index: 0, delta: {}, finish_reason }] });
const delta = (value: object) => ({ choices: [{ index: 0, delta: value, finish_reason: null }] });
const piece = (index: number, values: string, first: object = {}, name?: string) =>
  delta({ tool_calls: [{ index, ...first, function: { ...(name ? { name } : {}), arguments: values } }] });

async function read(...documents: readonly (JsonFields | undefined)[]): Promise<ChatDelta[]> {
  const events = (async function* () {
    for (const data of documents) yield { name: undefined, data };
  })();
  const deltas: ChatDelta[] = [];
  for await (const one of readChatStream(events, request, ['adapted'], upstream)) deltas.push(one);
  return deltas;
}

describe('readChatStream', () => {
  it('puts tool calls together whose pieces come in turns', async () => {
    const deltas = await read(
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
    const deltas = await read(delta({ content: 'Hello' }), end('stop'), done);
    expect(deltas.at(-1)).toMatchObject({ type: 'finish', usage: { estimated: true, outputTokens: 2 } });
  });

  it('completes a stream that has a finish reason and no [DONE]', async () => {
    expect((await read(delta({ content: 'Hello' }), end('stop'))).at(-1)).toMatchObject({
      type: 'finish',
      finishReason: 'stop',
    });
  });

  it('ends with the reason of a filter that came half way', async () => {
    expect((await read(delta({ content: 'Once' }), end('content_filter'), done)).at(-1)).toMatchObject({
      finishReason: 'content-filter',
    });
    await expect(read(delta({ refusal: 'I cannot.' }), end('stop'), done)).rejects.toMatchObject({
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
    await expect(read(...documents)).rejects.toMatchObject({ code: 'provider_bad_response' });
  });

  it('blames the model, not the server, for a tool call that was cut off', async () => {
    const documents = [piece(0, '{"city":', { id: 'call_1' }, 'find'), end('length'), done];
    await expect(read(...documents)).rejects.toMatchObject({ code: 'function_call_invalid' });
  });

  it('passes on what the error within says', async () => {
    const error = { message: 'Too long.', code: 'context_length_exceeded' };
    await expect(read(delta({ content: 'a' }), { error })).rejects.toMatchObject({ code: 'context_length_exceeded' });
    await expect(read({ error: { message: 'Oops', type: 'server_error' } })).rejects.toMatchObject({
      code: 'provider_error',
      upstream: { kind: 'failed' },
    });
  });
});
