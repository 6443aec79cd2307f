import { describe, expect, it } from 'vitest';
import { partialJson } from './partial-json.ts';

const whole =
  '{"label": "bill\\n\\u00e9 \\"x\\"", "list": [1, -2.5e3, true, null, {"a": {}}], "empty": [], "end": false}';

describe('JSON that is still being written', () => {
  it('is read at every length, and in the end is the whole', () => {
    for (let length = 0; length < whole.length; length += 1) {
      expect(() => partialJson(whole.slice(0, length))).not.toThrow();
    }
    expect(partialJson(whole)).toEqual(JSON.parse(whole));
  });

  it.each([
    ['', undefined],
    ['  ', undefined],
    ['{', {}],
    ['{"lab', {}],
    ['{"label"', {}],
    ['{"label": ', {}],
    ['{"label": "bil', { label: 'bil' }],
    ['{"label": "bil\\u00', { label: 'bil' }],
    ['{"label": "bil\\', { label: 'bil' }],
    ['{"path": "C:\\\\u0', { path: 'C:\\u0' }],
    ['{"count": 12', {}],
    ['{"count": 12,', { count: 12 }],
    ['[tru', []],
    ['["a", {"b": [1, ', ['a', { b: [1] }]],
  ])('%s is %j so far', (text, value) => {
    expect(partialJson(text)).toEqual(value);
  });

  it.each(['Sure: {', '{a', '{"a" 1', '{"a": 1 "b"', '{"a": x', '[1 2', '{} {', '{"a": "\n"', '```json'])(
    '%j does not become JSON',
    (text) => {
      expect(() => partialJson(text)).toThrow(SyntaxError);
    },
  );
});
