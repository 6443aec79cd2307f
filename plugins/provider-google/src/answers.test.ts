import { type ChatDelta, type ChatRequest, createUpstreamClient, type JsonFields } from '@patchbay/core/provider';
import { describe, expect, it } from 'vitest';
import { chatReader, readChat } from './chat-response.ts';
import { readError } from './read-error.ts';
import { packToolCallId } from './tool-call-id.ts';

const upstream = createUpstreamClient({ name: 'google', fetch, secrets: [], readError });
const request: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
const bad = { code: 'provider_bad_response' };
const hello = { text: 'Hello' };
const call = { functionCall: { id: 'fc_1', name: 'find', args: { city: 'Bern' } }, thoughtSignature: 'abc' };
const of = (parts: unknown, finishReason?: unknown, more: JsonFields = {}): JsonFields => ({
  candidates: [{ content: { role: 'model', parts }, ...(finishReason ? { finishReason } : {}) }],
  ...more,
});
const counts = (usage: JsonFields) => ({ usageMetadata: usage });

describe('readChat', () => {
  const read = (document: JsonFields) => readChat(document, request, [], upstream);

  it('returns text and tool calls with the signature in the id, and thoughts', () => {
    const thought = { text: 'Hm.', thought: true };
    expect(read(of([thought, hello, { text: '!' }, call, { functionCall: { name: 'now' } }], 'STOP'))).toMatchObject({
      content: [
        { type: 'reasoning', text: 'Hm.' },
        hello,
        { type: 'text', text: '!' },
        { id: packToolCallId('fc_1', 'abc'), name: 'find', extra: { google: { thoughtSignature: 'abc' } } },
        { id: expect.stringMatching(/^call_/), name: 'now', arguments: {} },
      ],
      finishReason: 'tool-calls',
    });
  });

  it('reads why the answer ended', () => {
    expect(read(of([hello], 'MAX_TOKENS')).finishReason).toBe('length');
    expect(read(of([], 'MAX_TOKENS'))).toMatchObject({ content: '', finishReason: 'length' });
    expect(read(of([hello], 'SAFETY')).finishReason).toBe('content-filter');
    const filtered = expect.objectContaining({ code: 'content_filtered' });
    expect(() => read({ candidates: [{ finishReason: 'PROHIBITED_CONTENT' }] })).toThrow(filtered);
    expect(() => read({ promptFeedback: { blockReason: 'SAFETY' } })).toThrow(filtered);
  });

  it.each([
    ['no candidate', {}],
    ['no reason', of([hello])],
    ['nothing said', of([], 'STOP')],
    ['no content', { candidates: [{ finishReason: 'STOP' }] }],
    ['a reason that is none', of([hello], 'OTHER')],
    ['parts that are no list', of({}, 'STOP')],
    ['a part that is none', of(['Hello'], 'STOP')],
    ['a text that is none', of([{ text: 7 }], 'STOP')],
    ['a call without name', of([{ functionCall: {} }], 'STOP')],
  ])('rejects %s', (_, document) => {
    expect(() => read(document)).toThrow(expect.objectContaining(bad));
  });

  it.each([
    ['a call that went wrong', of([], 'MALFORMED_FUNCTION_CALL')],
    ['arguments that are no object', of([{ functionCall: { name: 'a', args: [] } }], 'STOP')],
  ])('blames the model, not the server, for %s', (_, document) => {
    expect(() => read(document)).toThrow(expect.objectContaining({ code: 'function_call_invalid' }));
  });

  it('splits what Gemini counts together, and adds what it counts apart', () => {
    const usage = {
      promptTokenCount: 100,
      cachedContentTokenCount: 60,
      toolUsePromptTokenCount: 5,
      candidatesTokenCount: 30,
      thoughtsTokenCount: 20,
    };
    expect(read(of([hello], 'STOP', counts(usage))).usage).toEqual({
      uncachedInputTokens: 45,
      cacheReadTokens: 60,
      cacheWriteTokens: 0,
      outputTokens: 50,
      reasoningTokens: 20,
    });
    // A count of nothing is left out.
    expect(read(of([], 'MAX_TOKENS', counts({ promptTokenCount: 9, thoughtsTokenCount: 4 }))).usage).toMatchObject({
      outputTokens: 4,
      reasoningTokens: 4,
    });
    expect(read(of([hello], 'STOP', counts({ promptTokenCount: 9 }))).usage.estimated).toBe(true);
    expect(() => read(of([hello], 'STOP', counts({ ...usage, promptTokenCount: 59 })))).toThrow(
      expect.objectContaining(bad),
    );
  });
});

describe('chatReader', () => {
  async function read(...documents: readonly JsonFields[]): Promise<ChatDelta[]> {
    const deltas: ChatDelta[] = [];
    const reader = chatReader(request, [], upstream);
    for (const data of documents) reader.read({ name: undefined, data }, deltas);
    reader.end(deltas);
    return deltas;
  }

  it('yields text and tool calls as they arrive, and the last token counts', async () => {
    const deltas = await read(
      of([{ text: 'Hm.', thought: true }], undefined, counts({ promptTokenCount: 9 })),
      of([hello]),
      of([call], 'STOP'),
      counts({ promptTokenCount: 9, candidatesTokenCount: 3 }),
    );
    expect(deltas).toMatchObject([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Hello' },
      { type: 'tool-call', toolCall: { id: packToolCallId('fc_1', 'abc'), name: 'find', arguments: { city: 'Bern' } } },
      {
        type: 'finish',
        finishReason: 'tool-calls',
        usage: {
          uncachedInputTokens: 9,
          cacheReadTokens: 0,
          cacheWriteTokens: 0,
          outputTokens: 3,
          reasoningTokens: 0,
        },
      },
    ]);
  });

  it('fails without a reason to end, or for a bad one', async () => {
    await expect(read(of([hello]))).rejects.toMatchObject(bad);
    await expect(read()).rejects.toMatchObject(bad);
    await expect(read(of([hello]), of([], 'OTHER'))).rejects.toMatchObject(bad);
    await expect(read({ promptFeedback: { blockReason: 'SAFETY' } })).rejects.toMatchObject({
      code: 'content_filtered',
    });
    await expect(read(of([hello]), { error: { status: 'RESOURCE_EXHAUSTED' } })).rejects.toMatchObject({
      code: 'provider_rate_limited',
    });
  });
});

describe('readError', () => {
  it.each([
    ['rejected', 'INVALID_ARGUMENT', 'Invalid function name "API key". Must start with a letter.'],
    ['auth', 'PERMISSION_DENIED', 'x'],
    ['rejected', 'FAILED_PRECONDITION', 'User location is not supported for the API use.'],
    ['model_gone', 'NOT_FOUND', 'models/x is not found for API version v1beta'],
    ['rate_limited', 'RESOURCE_EXHAUSTED', 'x'],
    ['failed', 'UNAVAILABLE', 'The model is overloaded.'],
    [
      'context_length',
      'INVALID_ARGUMENT',
      'The input token count (9) exceeds the maximum number of tokens allowed (8).',
    ],
    ['unsupported', 'INVALID_ARGUMENT', 'Penalty is not enabled for this model'],
    ['unsupported', 'INVALID_ARGUMENT', 'Invalid JSON payload received. Unknown name "x": Cannot find field.'],
    ['rejected', 'INVALID_ARGUMENT', 'contents is not specified'],
    [undefined, 'NOVELTY', 'x'],
  ] as const)('finds %s in %s: %s', (kind, status, message) => {
    expect(readError({ error: { status, message } }).kind).toBe(kind);
  });

  it.each([
    ['auth', 'API_KEY_INVALID'],
    ['auth', 'BILLING_DISABLED'],
    ['rejected', 'NOVELTY'],
  ] as const)('finds %s in the reason %s', (kind, reason) => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'googleapis.com' }];
    expect(readError({ error: { status: 'INVALID_ARGUMENT', message: 'x', details } }).kind).toBe(kind);
  });

  it('finds how long to wait among the details', () => {
    const details = [{ '@type': 'Help' }, { '@type': 'RetryInfo', retryDelay: '36.2s' }];
    expect(readError({ error: { status: 'RESOURCE_EXHAUSTED', details } }).retryAfter).toBe('37');
    expect(readError({ error: { status: 'RESOURCE_EXHAUSTED', details: [{ retryDelay: 'soon' }] } }).retryAfter).toBe(
      undefined,
    );
  });
});
