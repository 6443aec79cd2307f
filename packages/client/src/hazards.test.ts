import { inspect, isDeepStrictEqual } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { createClient } from './index.ts';

describe('what Node and test runners do with the client', () => {
  const send = vi.fn<typeof fetch>(async () => new Response('{}'));
  const ai = createClient({ baseUrl: 'http://127.0.0.1:9', apiKey: 'a secret', fetch: send }).AI({
    one: { a: 'text' },
  });

  it.each([
    ['inspect', () => expect(inspect(ai)).toBe("PatchbayClient { url: 'http://127.0.0.1:9', declared: [one] }")],
    ['inspect, nested', () => expect(inspect({ a: { b: [ai] } }, { depth: 9 })).not.toContain('secret')],
    [
      'inspect with hidden members',
      () => expect(inspect(ai, { showHidden: true, showProxy: true })).not.toContain('secret'),
    ],
    ['toEqual', () => expect({ ai }).toEqual({ ai })],
    ['toMatchObject', () => expect({ ai, b: 1 }).toMatchObject({ b: 1 })],
    ['not.toEqual', () => expect(ai).not.toEqual({ other: 1 })],
    ['isDeepStrictEqual', () => expect(isDeepStrictEqual(ai, {})).toBe(false)],
    ['spy', () => expect(vi.spyOn(ai, 'one').mockRestore()).toBeUndefined()],
  ])('%s', (_name, probe) => {
    probe();
    expect(send).not.toHaveBeenCalled();
  });
});
