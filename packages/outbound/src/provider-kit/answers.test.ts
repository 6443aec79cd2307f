import type { ChatRequest } from '@patchbay/contracts/provider';
import { providerError } from '@patchbay/contracts/provider-error';
import { describe, expect, it } from 'vitest';
import { estimateTokens, estimateUsage } from './estimate-usage.ts';
import { assistantContent } from './message-content.ts';
import { completeChat, readTokenCount } from './provider-result.ts';
import { portableToolCallId, readEmbedding, readToolArguments } from './read-answer.ts';
import { embeddedImage, splitSystemMessages } from './split-messages.ts';
import { createUpstreamClient } from './upstream-client.ts';

const fault = (what: string) => providerError('bad_response', what);
const request: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'x'.repeat(40) }] };

describe('readTokenCount', () => {
  it('whole numbers from 0 and a missing count are accepted', () => {
    expect([0, 7, null, undefined].map((value) => readTokenCount(value, fault))).toEqual([0, 7, undefined, undefined]);
    for (const value of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '7', {}]) {
      expect(() => readTokenCount(value, fault)).toThrow('token count');
    }
  });
});

describe('estimateUsage', () => {
  it('everything that was sent and received is counted', () => {
    expect(estimateTokens('東京')).toBe(2);
    const call = { id: 'a', name: 'find', arguments: { city: 'Bern' } };
    const plain = estimateUsage(request, '');
    const image = { type: 'image', url: 'https://example.test' } as const;
    const more = estimateUsage(
      {
        ...request,
        tools: [{ name: 'find', description: 'x'.repeat(400), parameters: {} }],
        messages: [
          ...request.messages,
          { role: 'user', content: [image] },
          { role: 'assistant', content: assistantContent('x'.repeat(80), [call]) },
        ],
      },
      assistantContent('x'.repeat(8), [call]),
    );
    expect(plain).toMatchObject({ outputTokens: 0, estimated: true });
    expect(more.uncachedInputTokens).toBeGreaterThan(plain.uncachedInputTokens + 1_000 + 100 + 20);
    expect(more.outputTokens).toBeGreaterThan(2);
  });
});

describe('readToolArguments', () => {
  it('only objects and their JSON are accepted', () => {
    expect(readToolArguments('{"a":1}')).toEqual({ a: 1 });
    expect(readToolArguments({ a: 1 })).toEqual({ a: 1 });
    expect(readToolArguments('')).toEqual({});
    for (const value of ['{"a":', '[]', '7', undefined, null, []]) {
      expect(() => readToolArguments(value)).toThrow(expect.objectContaining({ code: 'function_call_invalid' }));
    }
  });

  it('arguments that are too deep to be forwarded are refused', () => {
    const nested = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    expect(readToolArguments(nested(63))).toEqual(JSON.parse(nested(63)));
    for (const value of [nested(64), nested(100_000), JSON.parse(nested(100_000))]) {
      expect(() => readToolArguments(value)).toThrow(expect.objectContaining({ code: 'function_call_invalid' }));
    }
  });
});

describe('readEmbedding', () => {
  it('only finite numbers of the right count are accepted', () => {
    expect(readEmbedding([1, -0.5], 2, fault)).toEqual([1, -0.5]);
    expect(readEmbedding([1], undefined, fault)).toEqual([1]);
    for (const value of [[], [1], [1, '2'], [1, null], [1, Number.NaN], 'AAAA', undefined]) {
      expect(() => readEmbedding(value, 2, fault)).toThrow('vector');
    }
  });
});

describe('portableToolCallId', () => {
  it('a portable id is kept, and any other gets a stable replacement', () => {
    expect(portableToolCallId('toolu_01-a')).toBe('toolu_01-a');
    const long = `call_1.${'x'.repeat(500)}`;
    expect(portableToolCallId(long)).toMatch(/^call_[0-9a-f]{32}$/);
    expect(portableToolCallId(long)).toBe(portableToolCallId(long));
    expect(portableToolCallId(long)).not.toBe(portableToolCallId(`${long}y`));
  });
});

describe('embeddedImage', () => {
  it('the bytes in the request are found', () => {
    expect(embeddedImage({ type: 'image', data: 'AA==', mediaType: 'image/png' })).toEqual({
      data: 'AA==',
      mediaType: 'image/png',
    });
    expect(embeddedImage({ type: 'image', url: 'data:image/gif;base64,AA==' })).toEqual({
      data: 'AA==',
      mediaType: 'image/gif',
    });
    expect(embeddedImage({ type: 'image', url: 'https://example.test/a.png' })).toBeUndefined();
  });
});

describe('splitSystemMessages', () => {
  const user = { role: 'user', content: 'Hi' } as const;
  it('system messages are moved to the front, with a warning', () => {
    const system = { role: 'system', content: 'Be brief.' } as const;
    expect(splitSystemMessages('acme', [system, user])).toEqual({
      system: [{ type: 'text', text: 'Be brief.' }],
      turns: [user],
      warnings: [],
    });
    expect(splitSystemMessages('acme', [user, system])).toEqual({
      system: [{ type: 'text', text: 'Be brief.' }],
      turns: [user],
      warnings: ['acme has system messages at the front only: later ones were moved there'],
    });
  });

  it('system messages become the user message if there is none', () => {
    const { system, turns, warnings } = splitSystemMessages('acme', [{ role: 'system', content: 'Say hello.' }]);
    expect(system).toEqual([]);
    expect(turns).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Say hello.' }] }]);
    expect(warnings).toHaveLength(1);
  });

  it('parts of system messages keep their marks, and empty ones go', () => {
    const marked = { type: 'text', text: 'Be brief.', cache: {} } as const;
    const content = [marked, { type: 'text', text: '' }] as const;
    const { system } = splitSystemMessages('acme', [{ role: 'system', content }, ...request.messages]);
    expect(system).toEqual([marked]);
  });
});

describe('completeChat', () => {
  const upstream = createUpstreamClient({ name: 'acme', fetch, secrets: [], readError: () => ({}) });
  const usage = estimateUsage(request, '');
  it('an empty completion is accepted only if the tokens were used up', () => {
    const empty = { content: '', usage };
    expect(completeChat({ ...empty, finishReason: 'length' }, request, [], upstream).content).toBe('');
    expect(() => completeChat({ ...empty, finishReason: 'stop' }, request, [], upstream)).toThrow('says nothing');
    expect(() => completeChat({ ...empty, finishReason: 'content-filter' }, request, [], upstream)).toThrow(
      expect.objectContaining({ code: 'content_filtered' }),
    );
  });

  it('text before a content filter is kept, and the usage is estimated', () => {
    const answer = { content: 'Once', finishReason: 'content-filter', usage: undefined } as const;
    const result = completeChat(answer, request, ['adapted'], upstream);
    expect(result).toMatchObject({ content: 'Once', finishReason: 'content-filter', warnings: ['adapted'] });
    expect(result.usage.estimated).toBe(true);
  });
});
