import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { OutputInvalidError } from '../index.ts';
import { mockClient } from './mock-client.ts';

const shapes = { headline: { text: 'a text', 'tone?': 'bold | calm' }, tags: z.array(z.string()) } as const;

describe('mockClient', () => {
  it('responds through its handlers, and records the calls', async () => {
    const { ai, calls } = mockClient(shapes, {
      headline: ({ about }) => ({ text: `On ${String(about)}` }),
      other: async () => ({ n: 1 }),
    });
    expect(await ai.headline({ about: 'bays' }, { model: 'a/b' })).toEqual({ text: 'On bays' });
    expect(await ai['other']()).toEqual({ n: 1 });
    expect(calls.map(({ name, input, options: { model } }) => [name, input, model])).toEqual([
      ['headline', { about: 'bays' }, 'a/b'],
      ['other', {}, undefined],
    ]);
  });

  it('records the feedback', async () => {
    const { ai, feedback } = mockClient(shapes, { tags: () => ['a'] });
    await ai.tags();
    expect(await ai.tags().score(true)).toMatchObject({ target: 'call_2', metric: 'score', value: true });
    expect(feedback).toEqual([{ target: 'call_2', value: true }]);
  });

  it('a mock has everything that the real client has', async () => {
    const { ai } = mockClient(shapes, { tags: () => ['a'] });
    expect(await Promise.resolve(ai)).toBe(ai);
    const { data, meta } = await ai.tags().withMeta();
    expect([data, meta.source]).toEqual([['a'], 'mock']);
    const pieces = [];
    for await (const piece of ai.tags.stream()) pieces.push(piece);
    expect(pieces).toEqual([['a']]);
    expect(await ai.$with({ model: 'a/b' }).$call('tags')).toEqual(['a']);
    expect(() => ai.tags({}, { temperature: 1 } as never)).toThrow('"temperature" is no option of a call');
    expect(() => ai.$client).toThrow('the mock has no $client');
  });

  it('holds outputs to the declared schemas', async () => {
    const { ai } = mockClient(shapes, { tags: () => [5] as never });
    await expect(ai.tags()).rejects.toThrow(OutputInvalidError);
  });

  it('a mock rejects calls without a handler', async () => {
    await expect(mockClient({}, {}).ai['missing']()).rejects.toThrow('the mock has no handler for "missing"');
  });

  it('throws what a handler throws, and the reason of an aborted signal', async () => {
    const { ai } = mockClient({}, { f: () => Promise.reject(new Error('down')) });
    await expect(ai['f']()).rejects.toThrow('down');
    await expect(ai['f']({}, { signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone');
  });
});
