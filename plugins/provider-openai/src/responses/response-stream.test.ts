import { type ChatDelta, type ChatRequest, createUpstreamClient } from '@patchbay/core/provider';
import { describe, expect, it } from 'vitest';
import { readError } from '../read-error.ts';
import { responseReader } from './response-stream.ts';

const upstream = createUpstreamClient({ name: 'openai', fetch, secrets: [], readError });
const question: ChatRequest = { model: 'gpt-6-astra', messages: [{ role: 'user', content: 'Hi' }] };

const message = (...content: readonly object[]) => ({ type: 'message', role: 'assistant', content });
const text = (value: unknown) => ({ type: 'output_text', text: value });
const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'find', arguments: '{"city":"Bern"}' };
const response = (output: unknown, more: object = {}) => ({ status: 'completed', output, ...more });

describe('responseReader', () => {
  async function readStream(...documents: readonly object[]): Promise<ChatDelta[]> {
    const deltas: ChatDelta[] = [];
    const reader = responseReader(question, ['adapted'], upstream);
    for (const data of documents) if (reader.read({ name: undefined, data: { ...data } }, deltas)) break;
    reader.end(deltas);
    return deltas;
  }
  const delta = (value: unknown) => ({ type: 'response.output_text.delta', delta: value });
  const pieceOf = (index: number, value: string) => ({
    type: 'response.function_call_arguments.delta',
    output_index: index,
    delta: value,
  });
  const end = (more: object = {}) => ({ type: 'response.completed', response: response([], more) });

  it('yields each delta, each complete tool call, and the end', async () => {
    const deltas = await readStream(
      { type: 'response.created' },
      delta('One '),
      { type: 'response.something_new' },
      delta('moment.'),
      { type: 'response.output_item.done', output_index: 0, item: message(text('One moment.')) },
      { type: 'response.output_item.added', output_index: 1, item: { ...call, arguments: '' } },
      pieceOf(1, '{"ci'),
      pieceOf(1, 'ty":"Bern"}'),
      { type: 'response.output_item.done', output_index: 1, item: call },
      end({ usage: { input_tokens: 7, output_tokens: 3 } }),
    );
    const name = { type: 'tool-arguments', id: 'call_1', name: 'find' };
    expect(deltas.slice(0, -1)).toEqual([
      { type: 'text', text: 'One ' },
      { type: 'text', text: 'moment.' },
      { ...name, text: '' },
      { ...name, text: '{"ci' },
      { ...name, text: 'ty":"Bern"}' },
      { type: 'tool-call', toolCall: { id: 'call_1', name: 'find', arguments: { city: 'Bern' } } },
    ]);
    expect(deltas.at(-1)).toMatchObject({
      finishReason: 'tool-calls',
      usage: { uncachedInputTokens: 7, outputTokens: 3 },
      warnings: ['adapted'],
    });
  });

  it('shows the pieces of calls that alternate, and completes those without pieces', async () => {
    const other = { ...call, call_id: 'call_2', name: 'now', arguments: '' };
    const deltas = await readStream(
      { type: 'response.output_item.added', output_index: 0, item: { ...call, arguments: '' } },
      { type: 'response.output_item.added', output_index: 1, item: other },
      pieceOf(0, '{"city":'),
      { type: 'response.output_item.done', output_index: 1, item: other },
      { type: 'response.output_item.done', output_index: 0, item: call },
      end(),
    );
    const pieces = deltas.flatMap((each) => (each.type === 'tool-arguments' ? [[each.id, each.text]] : []));
    expect(pieces).toEqual([
      ['call_1', ''],
      ['call_2', ''],
      ['call_1', '{"city":'],
      ['call_2', '{}'],
      ['call_1', '"Bern"}'],
    ]);
  });

  it('shows reasoning, and ends it with what the API wants back', async () => {
    const summary = (index: number, value: string) => ({
      type: 'response.reasoning_summary_text.delta',
      output_index: 0,
      summary_index: index,
      delta: value,
    });
    const parts = [
      { type: 'summary_text', text: 'A.' },
      { type: 'summary_text', text: 'B.' },
    ];
    const shown = { type: 'reasoning', id: 'rs_1', summary: parts, encrypted_content: 'gAAAA' };
    const hidden = { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'gBBBB' };
    const deltas = await readStream(
      { type: 'response.output_item.added', output_index: 0, item: { type: 'reasoning', id: 'rs_1', summary: [] } },
      summary(0, 'A'),
      summary(0, '.'),
      summary(1, 'B.'),
      { type: 'response.output_item.done', output_index: 0, item: shown },
      { type: 'response.output_item.done', output_index: 1, item: hidden },
      { ...delta('Hi'), output_index: 2 },
      end(),
    );
    const extra = (members: object) => ({ 'openai-responses': members });
    expect(deltas.slice(0, -2)).toEqual([
      { type: 'reasoning', text: 'A' },
      { type: 'reasoning', text: '.' },
      { type: 'reasoning', text: '\n\nB.' },
      { type: 'reasoning-end', encrypted: 'gAAAA', extra: extra({ id: 'rs_1', summary: parts }) },
      { type: 'reasoning', text: '' },
      { type: 'reasoning-end', encrypted: 'gBBBB', extra: extra({ id: 'rs_2' }) },
    ]);
  });

  it('knows a refusal, and a failure within', async () => {
    const refused = await readStream({ type: 'response.refusal.delta', delta: 'I cannot.' }, end());
    expect(refused).toMatchObject([
      { type: 'refusal', text: 'I cannot.' },
      { type: 'finish', finishReason: 'content-filter' },
    ]);
    const error = { code: 'rate_limit_exceeded', message: 'Slow down' };
    const failed = { type: 'response.failed', response: response([], { status: 'failed', error }) };
    await expect(readStream(delta('a'), failed)).rejects.toMatchObject({ code: 'provider_rate_limited' });
    await expect(readStream(delta('a'), { type: 'error', ...error })).rejects.toMatchObject({
      code: 'provider_rate_limited',
    });
  });

  it.each([
    ['without an end', [delta('a')]],
    ['of nothing', [end()]],
    ['with a text that is none', [delta(7), end()]],
    ['that ends with something else than a response', [delta('a'), { type: 'response.completed' }]],
  ])('one %s has failed', async (_, documents) => {
    await expect(readStream(...documents)).rejects.toMatchObject({ code: 'provider_bad_response' });
  });
});
