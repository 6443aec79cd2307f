import { type ChatRequest, createUpstreamClient } from '@patchbay/core/provider';
import { describe, expect, it } from 'vitest';
import { readError } from '../read-error.ts';
import { readResponse } from './response-answer.ts';
import { responseRequest } from './response-request.ts';

const upstream = createUpstreamClient({ name: 'openai', fetch, secrets: [], readError });
const question: ChatRequest = { model: 'gpt-6-astra', messages: [{ role: 'user', content: 'Hi' }] };

const message = (...content: readonly object[]) => ({ type: 'message', role: 'assistant', content });
const text = (value: unknown) => ({ type: 'output_text', text: value });
const refusal = { type: 'refusal', refusal: 'I cannot.' };
const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'find', arguments: '{"city":"Bern"}' };
const response = (output: unknown, more: object = {}) => ({ status: 'completed', output, ...more });
const read = (document: object) => readResponse({ ...document }, question, [], upstream);

describe('readResponse', () => {
  it('reads texts and calls, whatever stands between them', () => {
    const usage = {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
      output_tokens: 50,
      output_tokens_details: { reasoning_tokens: 20 },
    };
    const search = { type: 'web_search_call', id: 'ws_1', status: 'completed' };
    const output = [{ type: 'reasoning', summary: [] }, message(text('One '), text('moment.')), call, search];
    expect(read(response(output, { usage }))).toEqual({
      content: [
        { type: 'text', text: 'One moment.' },
        { type: 'tool-call', id: 'call_1', name: 'find', arguments: { city: 'Bern' } },
      ],
      extra: { 'openai-responses': { output: [search] } },
      finishReason: 'tool-calls',
      usage: {
        uncachedInputTokens: 10,
        cacheReadTokens: 60,
        cacheWriteTokens: 30,
        outputTokens: 50,
        reasoningTokens: 20,
      },
    });
  });

  it('reports why a completion is incomplete', () => {
    const incomplete = (reason: string) => ({ status: 'incomplete', incomplete_details: { reason } });
    const part = [message(text('Once'))];
    expect(read(response(part, incomplete('max_output_tokens'))).finishReason).toBe('length');
    expect(read(response([], incomplete('max_output_tokens')))).toMatchObject({ content: '', finishReason: 'length' });
    expect(read(response(part, incomplete('content_filter'))).finishReason).toBe('content-filter');
    expect(() => read(response([], incomplete('content_filter')))).toThrow(
      expect.objectContaining({ code: 'content_filtered' }),
    );
    expect(read(response([message(refusal)]))).toMatchObject({
      content: [{ type: 'refusal', text: 'I cannot.' }],
      finishReason: 'content-filter',
    });
  });

  it('keeps everything of reasoning that the API wants back', () => {
    const summary = (...texts: readonly string[]) => texts.map((each) => ({ type: 'summary_text', text: each }));
    const one = { type: 'reasoning', id: 'rs_1', summary: summary('Hm.'), encrypted_content: 'gAAAA' };
    const two = { type: 'reasoning', id: 'rs_2', summary: summary('A', 'B'), encrypted_content: 'gBBBB' };
    const three = { type: 'reasoning', id: 'rs_3', summary: [], encrypted_content: 'gCCCC' };
    const own = { type: 'reasoning', id: 'rs_4', summary: [], content: [{ type: 'reasoning_text', text: 'So.' }] };
    const { content } = read(response([one, two, three, own, message(text('Hi'))]));
    const extra = (members: object) => ({ 'openai-responses': members });
    expect(content).toEqual([
      { type: 'reasoning', text: 'Hm.', encrypted: 'gAAAA', extra: extra({ id: 'rs_1' }) },
      {
        type: 'reasoning',
        text: 'A\n\nB',
        encrypted: 'gBBBB',
        extra: extra({ id: 'rs_2', summary: summary('A', 'B') }),
      },
      { type: 'reasoning', text: '', encrypted: 'gCCCC', extra: extra({ id: 'rs_3' }) },
      { type: 'reasoning', text: 'So.', extra: extra({ id: 'rs_4', summary: [], content: own.content }) },
      { type: 'text', text: 'Hi' },
    ]);
    const messages = [{ role: 'assistant', content }] as const;
    const other = { name: 'm', capabilities: ['chat'] } as const;
    expect(responseRequest('own', other, { model: 'm', messages }).body.input?.slice(0, 4)).toEqual([
      one,
      two,
      three,
      own,
    ]);
  });

  it('keeps references, and what a call has beyond the contract', () => {
    const annotations = [{ type: 'url_citation', url: 'https://a.test' }];
    const result = read(
      response([message({ ...text('Hi'), annotations }), { ...call, namespace: 'a', status: 'completed' }]),
    );
    expect(result.extra).toEqual({ 'openai-responses': { annotations } });
    expect(result.content[1]).toMatchObject({ id: 'call_1', extra: { 'openai-responses': { namespace: 'a' } } });
  });

  it.each([
    ['rate_limit_exceeded', 'provider_rate_limited'],
    ['server_error', 'provider_error'],
    ['invalid_prompt', 'content_filtered'],
  ])('maps a response that failed with %s to its error', (code, expected) => {
    const failed = response([], { status: 'failed', error: { code, message: 'Oops' } });
    expect(() => read(failed)).toThrow(expect.objectContaining({ code: expected }));
  });

  it.each([
    ['without output', { status: 'completed' }],
    ['that says nothing', response([])],
    ['that goes on', response([message(text('a'))], { status: 'in_progress' })],
    ['that is not complete, and does not say why', response([message(text('a'))], { status: 'incomplete' })],
    ['with a text that is none', response([message(text(null))])],
    ['with a message without content', response([{ type: 'message' }])],
    ['with an item that is none', response([7])],
    ['with a call without id', response([{ ...call, call_id: '' }])],
  ])('rejects a response %s', (_, document) => {
    expect(() => read(document)).toThrow(expect.objectContaining({ code: 'provider_bad_response' }));
  });

  it('blames the model, not the server, for arguments that are no JSON', () => {
    expect(() => read(response([{ ...call, arguments: '{"city":' }]))).toThrow(
      expect.objectContaining({ code: 'function_call_invalid' }),
    );
  });
});
