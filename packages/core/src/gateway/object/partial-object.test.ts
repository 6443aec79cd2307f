import type { JsonObject } from '@patchbay/contracts/json';
import { describe, expect, it } from 'vitest';
import { isGrown, partialObject } from './partial-object.ts';

describe('the object so far', () => {
  it.each([
    ['', undefined],
    ['no JSON', undefined],
    ['{', {}],
    ['{"a', {}],
    ['{"a":', {}],
    ['{"a":"', { a: '' }],
    ['{"a":"x\\', { a: 'x' }],
    ['{"a":"x\\n', { a: 'x\n' }],
    ['{"a":"x\\u00', { a: 'x' }],
    ['{"a":"x\\u00e9', { a: 'xé' }],
    ['{"a":"x\\\\', { a: 'x\\' }],
    ['{"a":"x\\\\u00', { a: 'x\\u00' }],
    ['{"a":"x\\ud83d', { a: 'x' }],
    ['{"a":"x\\ud83d\\ude', { a: 'x' }],
    ['{"a":"x\\ud83d\\ude00', { a: 'x😀' }],
    ['{"a":"x\ud83d', { a: 'x' }],
    ['{"a":"}]"', { a: '}]' }],
    ['{"a":1', {}],
    ['{"a":1,', { a: 1 }],
    ['{"a":1 ', { a: 1 }],
    ['{"a":1.5e', {}],
    ['{"a":true,"b":nul', { a: true }],
    ['{"a":[1,2', { a: [1] }],
    ['{"a":[{"b":"c"},{"b":"d', { a: [{ b: 'c' }, { b: 'd' }] }],
    ['```json\n{"a":"x', { a: 'x' }],
    ['Here: {"a":"x"} and {', { a: 'x' }],
    ["{'a': 'x'", {}],
    ['{"a":1,"b":"\\u0000', { a: 1 }],
    ['{"a":'.repeat(65), undefined],
  ])('%j', (text, value) => {
    expect(partialObject(text)).toEqual(value);
  });

  it('only grows, character by character, up to the whole', () => {
    const whole = {
      title: 'A "quoted" \\ text\nwith é and 😀, \\u0041',
      list: [1.5, -2e3, [true, null, { deep: 'x' }], 'y'],
      empty: {},
      last: false,
    };
    for (const text of [JSON.stringify(whole), JSON.stringify(whole, null, 2), escaped(whole)]) {
      let before: JsonObject | undefined;
      for (let end = 0; end <= text.length; end += 1) {
        const now = partialObject(text.slice(0, end));
        expect([text.slice(0, end), isGrown(now, before), isGrown(whole, now)]).toEqual([
          text.slice(0, end),
          true,
          true,
        ]);
        before = now;
      }
      expect(before).toEqual(whole);
    }
  });
});

/** Every non-ASCII character as an escape. */
function escaped(value: object): string {
  return JSON.stringify(value).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

describe('an object that has grown', () => {
  it.each<[JsonObject, JsonObject, boolean]>([
    [{ a: 'x' }, { a: 'xy', b: 1 }, true],
    [{ a: ['x'] }, { a: ['xy', 'z'] }, true],
    [{ a: 'x' }, { a: 'y' }, false],
    [{ a: 'x' }, {}, false],
    [{ a: ['x', 'y'] }, { a: ['x'] }, false],
    [{ a: ['x'] }, { a: { 0: 'x' } }, false],
    [{ a: 1 }, { a: 12 }, false],
    [{ a: { b: 'x' } }, { a: null }, false],
  ])('from %j to %j: %s', (before, now, grown) => {
    expect(isGrown(now, before)).toBe(grown);
  });
});
