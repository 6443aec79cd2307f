import {
  type ChatDelta,
  type ChatRequest,
  ContentBuilder,
  createUpstreamClient,
  type JsonFields,
} from '@patchbay/core/provider';
import { describe, expect, it } from 'vitest';
import { chatReader, readChat } from './chat-response.ts';
import { readError } from './read-error.ts';

const upstream = createUpstreamClient({ name: 'anthropic', fetch, secrets: [], readError });
const request: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
const bad = { code: 'provider_bad_response' };
const text = { type: 'text', text: 'Hello' };
const use = { type: 'tool_use', id: 'toolu_1', name: 'find', input: { city: 'Bern' } };

describe('chatReader', () => {
  const start = {
    type: 'message_start',
    message: { usage: { input_tokens: 10, cache_read_input_tokens: 4, output_tokens: 1 } },
  };
  const block = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block });
  const delta = (index: number, value: object) => ({ type: 'content_block_delta', index, delta: value });
  const stop = (index: number) => ({ type: 'content_block_stop', index });
  const end = (stop_reason: string) => ({
    type: 'message_delta',
    delta: { stop_reason },
    usage: { output_tokens: 9, cache_read_input_tokens: null },
  });
  const last = { type: 'message_stop' };
  const json = (partial_json: string) => ({ type: 'input_json_delta', partial_json });

  function readInto(deltas: ChatDelta[], documents: readonly JsonFields[]): void {
    const reader = chatReader(request, [], upstream);
    for (const data of documents) if (reader.read({ name: undefined, data }, deltas)) break;
    reader.end(deltas);
  }

  const said = (words: string, index: number): readonly JsonFields[] => [
    block(index, { type: 'text', text: '' }),
    delta(index, { type: 'text_delta', text: words }),
    stop(index),
  ];

  async function read(...documents: readonly JsonFields[]): Promise<ChatDelta[]> {
    const deltas: ChatDelta[] = [];
    readInto(deltas, documents);
    return deltas;
  }

  it('yields text as it arrives, complete tool calls, and the token counts of start and end', async () => {
    const deltas = await read(
      start,
      { type: 'ping' },
      block(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'Hm.' }),
      delta(0, { type: 'signature_delta', signature: 'sig' }),
      stop(0),
      block(1, { type: 'text', text: '' }),
      delta(1, { type: 'text_delta', text: 'Hello' }),
      stop(1),
      block(2, { ...use, input: {} }),
      delta(2, json('')),
      delta(2, json('{"city":')),
      delta(2, json('"Bern"}')),
      stop(2),
      block(3, { ...use, id: 'toolu_2', input: {} }),
      stop(3),
      end('tool_use'),
      last,
    );
    expect(deltas).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'reasoning-end', signature: 'sig' },
      { type: 'text', text: 'Hello' },
      { type: 'tool-arguments', id: 'toolu_1', name: 'find', text: '' },
      { type: 'tool-arguments', id: 'toolu_1', name: 'find', text: '{"city":' },
      { type: 'tool-arguments', id: 'toolu_1', name: 'find', text: '"Bern"}' },
      { type: 'tool-call', toolCall: { id: 'toolu_1', name: 'find', arguments: { city: 'Bern' } } },
      { type: 'tool-arguments', id: 'toolu_2', name: 'find', text: '' },
      { type: 'tool-call', toolCall: { id: 'toolu_2', name: 'find', arguments: {} } },
      {
        type: 'finish',
        finishReason: 'tool-calls',
        usage: {
          uncachedInputTokens: 10,
          cacheReadTokens: 4,
          cacheWriteTokens: 0,
          outputTokens: 9,
          reasoningTokens: 0,
        },
        extra: { 'anthropic-messages': { stop_reason: 'tool_use' } },
      },
    ]);
  });

  it('keeps hidden reasoning and blocks of other kinds apart, so that they add up to the same content', async () => {
    const whole = [
      { type: 'thinking', thinking: '', signature: 'sig' },
      { type: 'redacted_thinking', data: 'sealed' },
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
      text,
    ];
    const deltas = await read(
      start,
      block(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'signature_delta', signature: 'sig' }),
      stop(0),
      block(1, { type: 'redacted_thinking', data: 'sealed' }),
      stop(1),
      block(2, { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }),
      delta(2, json('{"query":')),
      delta(2, json('"x"}')),
      stop(2),
      block(3, { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }),
      stop(3),
      block(4, { type: 'text', text: '' }),
      delta(4, { type: 'citations_delta', citation: {} }),
      delta(4, { type: 'text_delta', text: 'Hello' }),
      stop(4),
      end('end_turn'),
      last,
    );
    const built = new ContentBuilder();
    for (const one of deltas) {
      built.take(one);
    }
    const { content } = readChat({ content: whole, stop_reason: 'end_turn' }, request, [], upstream);
    expect(built.content).toEqual(content);
    expect(deltas.at(-1)).toMatchObject({
      warnings: ['anthropic streams its citations, which only complete responses have'],
    });
  });

  it.each([
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
    { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [{ type: 'web_search_result', url: 'u' }] },
    { type: 'web_fetch_tool_result', tool_use_id: 'srvtoolu_1', content: { type: 'web_fetch_result', url: 'u' } },
    { type: 'code_execution_tool_result', tool_use_id: 'srvtoolu_1', content: { stdout: '1', return_code: 0 } },
    { type: 'bash_code_execution_tool_result', tool_use_id: 'srvtoolu_1', content: { stdout: '1' } },
    { type: 'text_editor_code_execution_tool_result', tool_use_id: 'srvtoolu_1', content: { is_file_update: true } },
    { type: 'tool_search_tool_result', tool_use_id: 'srvtoolu_1', content: { tool_references: [] } },
    { type: 'a_kind_that_is_new', members: [1, { deep: null }] },
  ])('a block of its own comes as in a complete response: $type', async (whole) => {
    const deltas = await read(start, block(0, whole), stop(0), ...said('Done.', 1), end('end_turn'), last);
    const { content } = readChat(
      { content: [whole, { type: 'text', text: 'Done.' }], stop_reason: 'end_turn' },
      request,
      [],
      upstream,
    );
    expect(content).toEqual([
      { type: 'reasoning', text: '', encrypted: '', extra: { 'anthropic-messages': whole } },
      { type: 'text', text: 'Done.' },
    ]);
    expect(deltas.slice(0, 3)).toEqual([
      { type: 'reasoning', text: '' },
      { type: 'reasoning-end', encrypted: '', extra: { 'anthropic-messages': whole } },
      { type: 'text', text: 'Done.' },
    ]);
  });

  it('says at which stop sequence it ended, and what it was refused for', async () => {
    const ended = (delta: object) => ({ type: 'message_delta', delta, usage: { output_tokens: 9 } });
    const sequence = { stop_reason: 'stop_sequence', stop_sequence: 'END' };
    const stopped = await read(start, ...said('Hi', 0), ended(sequence), last);
    expect(stopped.at(-1)).toMatchObject({ finishReason: 'stop', extra: { 'anthropic-messages': sequence } });
    const refusal = { stop_reason: 'refusal', stop_details: { type: 'refusal', category: 'cyber' } };
    const refused = await read(start, ...said('Hi', 0), ended({ ...refusal, stop_sequence: null }), last);
    expect(refused.at(-1)).toMatchObject({ finishReason: 'content-filter', extra: { 'anthropic-messages': refusal } });
  });

  it('passes on what was said before an error within', async () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    const passed: ChatDelta[] = [];
    const reading = () => readInto(passed, [start, ...said('Hello', 0), block(1, use), error, last]);
    expect(reading).toThrow(expect.objectContaining({ upstream: expect.objectContaining({ kind: 'failed' }) }));
    expect(passed).toEqual([
      { type: 'text', text: 'Hello' },
      { type: 'tool-arguments', id: 'toolu_1', name: 'find', text: '' },
    ]);
  });

  it('completes a message that has a stop reason and no message_stop', async () => {
    const deltas = await read(start, delta(0, { type: 'text_delta', text: 'a' }), end('end_turn'));
    expect(deltas.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
  });

  it.each([
    ['without a reason', [start, delta(0, { type: 'text_delta', text: 'a' }), last]],
    ['with a call that does not end', [start, block(0, use), delta(0, json('{')), end('tool_use'), last]],
    ['with reasoning that does not end', [start, block(0, { type: 'thinking', thinking: '' }), end('end_turn'), last]],
    ['with a text that is none', [start, delta(0, { type: 'text_delta', text: 7 })]],
    ['that says nothing', [start, end('end_turn'), last]],
  ])('one %s has failed', async (_, documents) => {
    await expect(read(...documents)).rejects.toMatchObject(bad);
  });

  it('blames the model, not the server, for arguments that are no JSON', async () => {
    const documents = [start, block(0, use), delta(0, json('{')), stop(0), end('tool_use'), last];
    await expect(read(...documents)).rejects.toMatchObject({ code: 'function_call_invalid' });
  });

  it('passes on what the error within says', async () => {
    const error = (type: string, message: string) => ({ type: 'error', error: { type, message } });
    await expect(read(start, error('overloaded_error', 'x'))).rejects.toMatchObject({ upstream: { kind: 'failed' } });
    await expect(read(start, error('rate_limit_error', 'x'))).rejects.toMatchObject({ code: 'provider_rate_limited' });
    await expect(read(start, error('invalid_request_error', 'prompt is too long'))).rejects.toMatchObject({
      code: 'context_length_exceeded',
    });
    await expect(read(start, end('refusal'), last)).rejects.toMatchObject({ code: 'content_filtered' });
  });
});
