import { type ChatDelta, type ChatRequest, createUpstreamClient, type JsonFields } from '@patchbay/core/provider';
import { describe, expect, it } from 'vitest';
import { chatReader } from './chat-response.ts';
import { readError } from './read-error.ts';

const upstream = createUpstreamClient({ name: 'openai', fetch, secrets: [], readError });
const request: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };

const done = undefined;
const end = (finish_reason: string) => ({ choices: [{ index: 0, delta: {}, finish_reason }] });
const delta = (value: object) => ({ choices: [{ index: 0, delta: value, finish_reason: null }] });
const piece = (index: number, values: string, first: object = {}, name?: string) =>
  delta({ tool_calls: [{ index, ...first, function: { ...(name ? { name } : {}), arguments: values } }] });

async function readStream(...documents: readonly (JsonFields | undefined)[]): Promise<ChatDelta[]> {
  const deltas: ChatDelta[] = [];
  const reader = chatReader(request, ['adapted'], upstream);
  for (const data of documents) if (reader.read({ name: undefined, data }, deltas)) break;
  reader.end(deltas);
  return deltas;
}

describe('chatReader', () => {
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
      { type: 'tool-arguments', id: 'call_1', name: 'find', text: '' },
      { type: 'tool-arguments', id: 'call_2', name: 'find', text: '{"ci' },
      { type: 'tool-arguments', id: 'call_1', name: 'find', text: '{"city":' },
      { type: 'tool-arguments', id: 'call_2', name: 'find', text: 'ty":"Oslo"}' },
      { type: 'tool-arguments', id: 'call_1', name: 'find', text: '"Bern"}' },
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

  const calls = (deltas: readonly ChatDelta[]) => deltas.filter(({ type }) => type === 'tool-call');
  const pieces = (deltas: readonly ChatDelta[]) =>
    deltas.flatMap((each) => (each.type === 'tool-arguments' ? [[each.id, each.text]] : []));

  it('completes the pieces of a call without arguments', async () => {
    const deltas = await readStream(piece(0, '', { id: 'call_1' }, 'now'), end('tool_calls'), done);
    expect(pieces(deltas)).toEqual([
      ['call_1', ''],
      ['call_1', '{}'],
    ]);
    expect(calls(deltas)).toMatchObject([{ toolCall: { arguments: {} } }]);
  });

  it('waits with the pieces of a call until it knows which', async () => {
    const deltas = await readStream(piece(0, '{"a"', { id: 'call_1' }), piece(0, ':1}', {}, 'find'), end('stop'), done);
    expect(pieces(deltas)).toEqual([['call_1', '{"a":1}']]);
  });

  it('tells calls apart whose server gives them no index, or one for all', async () => {
    for (const index of [0, undefined]) {
      const whole = (id: string, name: string, values: unknown) =>
        delta({ tool_calls: [{ index, id, function: { name, arguments: values } }] });
      const deltas = await readStream(whole('a', 'find', '{"x":1}'), whole('b', 'now', { y: 2 }), end('stop'), done);
      expect(calls(deltas)).toMatchObject([
        { toolCall: { id: 'a', name: 'find', arguments: { x: 1 } } },
        { toolCall: { id: 'b', name: 'now', arguments: { y: 2 } } },
      ]);
      expect(pieces(deltas)).toEqual([
        ['a', '{"x":1}'],
        ['b', '{"y":2}'],
      ]);
    }
  });

  it('shows reasoning, and completes it when the answer begins', async () => {
    const detail = (text: string, more: object = {}) => ({ type: 'reasoning.text', text, index: 0, ...more });
    const deltas = await readStream(
      delta({ reasoning: 'H', reasoning_details: [detail('H')] }),
      delta({ reasoning: 'm.', reasoning_details: [detail('m.')] }),
      delta({ reasoning_details: [detail('', { signature: 'sig' })] }),
      delta({ content: 'Hi' }),
      end('stop'),
      done,
    );
    expect(deltas.slice(0, 4)).toEqual([
      { type: 'reasoning', text: 'H' },
      { type: 'reasoning', text: 'm.' },
      { type: 'reasoning-end', encrypted: JSON.stringify([detail('Hm.', { signature: 'sig' })]) },
      { type: 'text', text: 'Hi' },
    ]);
    const plain = await readStream(delta({ reasoning_content: 'Hm.' }), delta({ content: 'Hi' }), end('stop'), done);
    expect(plain.map(({ type }) => type)).toEqual(['reasoning', 'text', 'finish']);
  });

  it('adds up members without a name in the contract', async () => {
    const token = (text: string) => ({ token: text, logprob: -0.1 });
    const said = (text: string) => {
      const [choice] = delta({ content: text, annotations: [{ type: 'url_citation', of: text }] }).choices;
      return { choices: [{ ...choice, logprobs: { content: [token(text)], refusal: null } }] };
    };
    const deltas = await readStream(said('a'), said('b'), end('stop'), done);
    expect(deltas.at(-1)).toMatchObject({
      extra: {
        'openai-chat': {
          annotations: [
            { type: 'url_citation', of: 'a' },
            { type: 'url_citation', of: 'b' },
          ],
          logprobs: { content: [token('a'), token('b')] },
        },
      },
    });
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
    await expect(readStream(end('content_filter'), done)).rejects.toMatchObject({ code: 'content_filtered' });
    const refused = await readStream(delta({ refusal: 'I ' }), delta({ refusal: 'cannot.' }), end('stop'), done);
    expect(refused).toMatchObject([
      { type: 'refusal', text: 'I ' },
      { type: 'refusal', text: 'cannot.' },
      { type: 'finish', finishReason: 'content-filter' },
    ]);
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
