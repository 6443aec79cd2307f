import { describe, expect, it } from 'vitest';
import { parsePartialJson } from './partial-json.ts';

describe('the JSON so far', () => {
  it.each([
    ['', undefined],
    ['  ', undefined],
    ['{', {}],
    ['{"a', {}],
    ['{"a"', {}],
    ['{"a":', {}],
    ['{"a":"', { a: '' }],
    ['{"a":"x', { a: 'x' }],
    ['{"a":"x\\', { a: 'x' }],
    ['{"a":"x\\n', { a: 'x\n' }],
    ['{"a":"x\\u00', { a: 'x' }],
    ['{"a":"x\\u00e9', { a: 'xé' }],
    ['{"a":"x\\\\', { a: 'x\\' }],
    ['{"a":"x"', { a: 'x' }],
    ['{"a":"}]"', { a: '}]' }],
    ['{"a":1', {}],
    ['{"a":1,', { a: 1 }],
    ['{"a":1.5e', {}],
    ['{"a":tru', {}],
    ['{"a":true,"b":nul', { a: true }],
    ['{"a":[', { a: [] }],
    ['{"a":[1,2', { a: [1] }],
    ['{"a":[1,2]', { a: [1, 2] }],
    ['{"a":[{"b":"c"},{"b":"d', { a: [{ b: 'c' }, { b: 'd' }] }],
    ['{"a":{"b":{"c":"d"', { a: { b: { c: 'd' } } }],
    ['{"a":1}', { a: 1 }],
    ['not JSON', undefined],
  ])('%s', (text, value) => {
    expect(parsePartialJson(text)).toEqual(value);
  });

  it('never says what the whole does not: every beginning is a part of it', () => {
    const whole = {
      title: 'A "quoted" \\ text\nwith é and 😀',
      list: [1.5, -2e3, [true, null, { deep: 'x' }]],
      last: false,
    };
    const text = JSON.stringify(whole);
    for (let end = 0; end <= text.length; end += 1) {
      const part = parsePartialJson(text.slice(0, end));
      expect([text.slice(0, end), isPart(part, whole)]).toEqual([text.slice(0, end), true]);
    }
    expect(parsePartialJson(text)).toEqual(whole);
  });
});

function isPart(part: unknown, whole: unknown): boolean {
  if (part === undefined) return true;
  if (typeof part === 'string') return (whole as string).startsWith(part);
  if (typeof part !== 'object' || part === null) return part === whole;
  return Object.entries(part).every(([name, value]) => isPart(value, (whole as Record<string, unknown>)[name]));
}
