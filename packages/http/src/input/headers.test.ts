import { describe, expect, it } from 'vitest';
import { prefers, prefersType } from './headers.ts';

const json = (header: string | undefined) => prefersType(header, 'application/json', 'text/event-stream');

describe('prefersType', () => {
  it.each([
    'application/json',
    'Application/JSON; charset=utf-8',
    'text/html, application/json',
    'application/*',
    'application/json, text/event-stream;q=0.5',
    '*/*;q=0.1, application/json',
    'text/event-stream;q=0, */*',
  ])('recognizes %j as JSON', (header) => {
    expect(json(header)).toBe(true);
  });

  it.each([
    undefined,
    '',
    '*/*',
    'text/event-stream',
    'text/*',
    'text/html',
    'application/json, text/event-stream',
    'application/json;q=0.5, text/event-stream',
    'application/json;q=0',
    'application/json;q=0, */*',
    ';;;,,,q=1',
  ])('rejects %j as JSON', (header) => {
    expect(json(header)).toBe(false);
  });
});

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
  ])('finds no match in %j', (header) => {
    expect(prefers(header, 'respond-async')).toBe(false);
  });
});
