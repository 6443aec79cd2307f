import { describe, expect, it } from 'vitest';
import { prefers } from './prefer.ts';

describe('prefers', () => {
  it.each([
    'respond-async',
    'Respond-Async',
    ' respond-async ',
    'respond-async, wait=10',
    'return=minimal,respond-async',
    'handling=lenient; x="a, b" , respond-async; foo',
    'respond-async=""',
  ])('finds it in %j', (header) => {
    expect(prefers(header, 'respond-async')).toBe(true);
  });

  it.each([
    undefined,
    '',
    ',',
    'wait=10',
    'respond-asynchronously',
    'no-respond-async',
    'x="respond-async"',
    'x="a, respond-async"',
    String.raw`x="\", respond-async"`,
    '"respond-async"',
    'respond-async"',
    'return=respond-async',
    'a; respond-async',
  ])('does not find it in %j', (header) => {
    expect(prefers(header, 'respond-async')).toBe(false);
  });
});
