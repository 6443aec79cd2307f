import { describe, expect, it } from 'vitest';
import { reasoningDigest } from '../forward/digest.ts';
import { documentReader, eventReader } from '../forward/response-reader.ts';
import { responseNotes } from './response-notes.ts';

const annotation = { type: 'container_file_citation', container_id: 'cntr_1', file_id: 'cfile_1' };
const content = [{ type: 'output_text', text: 'Hi', annotations: [annotation] }];
const message = { id: 'msg_1', type: 'message', role: 'assistant', content };
const reasoning = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'gAAAA' };
const search = { id: 'ws_1', type: 'web_search_call', status: 'completed' };
const call = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'find', arguments: '{}' };
const usage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 40, cache_write_tokens: 10 },
  output_tokens: 50,
  output_tokens_details: { reasoning_tokens: 30 },
  total_tokens: 150,
};
const response = (output: readonly object[], more: object = {}) => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'gpt-6-astra-2026-09-01',
  service_tier: 'priority',
  error: null,
  output,
  usage,
  ...more,
});
const bytes = (...events: readonly object[]) =>
  Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));

function whole(document: object) {
  const notes = responseNotes();
  const reader = documentReader(notes);
  reader.push(Buffer.from(JSON.stringify(document)));
  return { ...reader.end(), items: notes.items };
}

function streamed(...events: readonly object[]) {
  const notes = responseNotes();
  const reader = eventReader(notes);
  reader.push(bytes(...events));
  return { reader, notes };
}

describe('the notes of a response', () => {
  it('have its counts, its class of service, and the ids that its client may send back', () => {
    const { ownIds, items, ...facts } = whole(response([reasoning, search, message]));
    expect(facts).toMatchObject({
      model: 'gpt-6-astra-2026-09-01',
      finishReason: 'stop',
      priceFactor: 2.5,
      usage: {
        uncachedInputTokens: 50,
        cacheReadTokens: 40,
        cacheWriteTokens: 10,
        outputTokens: 50,
        reasoningTokens: 30,
      },
    });
    const named = ['cfile_1', 'cntr_1', 'msg_1', 'resp_1', 'rs_1', 'ws_1'];
    expect(ownIds.toSorted()).toEqual([...named, reasoningDigest('gAAAA')].toSorted());
    expect(items).toEqual([reasoning, message]);
  });

  it.each([
    ['tool-calls', response([call])],
    ['length', response([message], { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })],
    ['content-filter', response([message], { status: 'incomplete', incomplete_details: { reason: 'content_filter' } })],
  ])('say that it ended by %s', (reason, document) => {
    expect(whole(document).finishReason).toBe(reason);
  });

  it.each([
    ['is queued', response([], { status: 'queued' })],
    ['has failed', response([], { status: 'failed', error: { code: 'server_error' } })],
    ['has no output', response([], { output: null })],
    ['counts more tokens in a part', response([], { usage: { ...usage, output_tokens: 10 } })],
  ])('refuse one that %s', (_, document) => {
    expect(() => whole(document)).toThrow(expect.objectContaining({ upstream: expect.anything() }));
  });

  it('of a stream have the same facts once it is complete, and the ids of its items before', () => {
    const { reader, notes } = streamed(
      { type: 'response.created', response: response([], { status: 'in_progress', usage: null }) },
      { type: 'response.output_item.added', output_index: 0, item: { ...reasoning, encrypted_content: '' } },
      { type: 'response.output_item.done', output_index: 0, item: reasoning },
      { type: 'response.output_item.added', output_index: 1, item: { ...message, content: [] } },
    );
    expect(reader.outcome.ownIds).toEqual(['rs_1', reasoningDigest('gAAAA')]);
    expect(notes.items).toBeUndefined();
    reader.push(
      bytes(
        { type: 'response.output_text.delta', output_index: 1, delta: 'Hi' },
        { type: 'response.output_item.done', output_index: 1, item: message },
        { type: 'response.completed', response: response([reasoning, message]) },
      ),
    );
    const { outputBytes, ...facts } = reader.end();
    expect(Buffer.from(reader.flush()).toString()).toBe('data: [DONE]\n\n');
    expect(outputBytes).toBe(2);
    expect(facts.ownIds).toContain('resp_1');
    expect(facts).toMatchObject({ finishReason: 'stop', usage: { outputTokens: 50 } });
    expect(notes.items).toEqual([reasoning, message]);
  });

  it.each([
    ['the beginning', false, [{ type: 'response.created', response: {} }, { type: 'response.in_progress' }]],
    ['an empty message', false, [{ type: 'response.output_item.added', item: message }]],
    ['a call', true, [{ type: 'response.output_item.added', item: call }]],
    ['the search of the vendor', true, [{ type: 'response.output_item.added', item: search }]],
    ['a text', true, [{ type: 'response.output_text.delta', delta: 'Hi' }]],
    ['a summary', true, [{ type: 'response.reasoning_summary_text.delta', delta: 'Hm' }]],
    ['a delta of another kind', true, [{ type: 'response.new_kind.delta', delta: {} }]],
    ['an event of another kind', false, [{ type: 'response.new_kind', output: 1 }]],
  ])('take %s for output: %s', (_, isOutput, events) => {
    expect(streamed(...events).reader.hasOutput).toBe(isOutput);
  });

  it.each([
    ['rate_limited', { type: 'error', code: 'rate_limit_exceeded', message: 'Slow down' }],
    ['failed', { type: 'error', code: null, message: 'Oops' }],
    ['failed', { type: 'response.failed', response: { error: { code: 'server_error', message: 'Oops' } } }],
    ['rejected', { type: 'error', error: { type: 'invalid_request_error', message: 'No' } }],
  ])('hold back a failure that is %s: %j', (kind, event) => {
    const { reader } = streamed({ type: 'response.output_text.delta', delta: 'Hi' }, event);
    expect(reader.failure?.upstream?.kind).toBe(kind);
    expect(Buffer.from(reader.withheld).toString()).toContain(event.type);
    expect(() => reader.end()).toThrow(reader.failure);
  });

  it.each([
    ['nothing', []],
    ['an output', [{ type: 'response.output_text.delta', delta: 'Hi' }]],
  ])('do not take %s and a mark of the end for complete', (_, events) => {
    const { reader } = streamed(...events);
    reader.push(Buffer.from('data: [DONE]\n\n'));
    expect(() => reader.end()).toThrow('ended before it was complete');
  });

  it('have what was compacted, for its vendor', () => {
    const compaction = { id: 'cmp_1', type: 'compaction', encrypted_content: 'c2hvcnQ' };
    const { ownIds, finishReason } = whole({
      id: 'resp_1',
      object: 'response.compaction',
      output: [compaction],
      usage,
    });
    expect(finishReason).toBe('stop');
    expect(ownIds).toContain(reasoningDigest('c2hvcnQ'));
  });
});
