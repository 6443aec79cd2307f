import { describe, expect, it } from 'vitest';
import { parseJson } from './parse-json.ts';

describe('parseJson', () => {
  it('every value and key has its position', () => {
    const { value, places, problems } = parseJson('{\n\t"a": [1, {"b": null}],\n\t"c/d": "x"\n}');
    expect(problems).toEqual([]);
    expect(value).toEqual({ a: [1, { b: null }], 'c/d': 'x' });
    expect(places.get('/a/1/b')).toEqual({ key: { line: 2, column: 12 }, value: { line: 2, column: 17 } });
    expect(places.get('/c~1d')).toEqual({ key: { line: 3, column: 2 }, value: { line: 3, column: 9 } });
  });

  it('a byte order mark and names of object members are accepted', () => {
    expect(Object.entries(parseJson('\uFEFF{"__proto__": 1}').value as object)).toEqual([['__proto__', 1]]);
  });

  it.each([
    ['{"a": 1, // why\n}', '1:10'],
    ['{"a": 1,}', '1:9'],
    ['{"a": "s3cr3t}', '1:15'],
    ["{'a': 1}", '1:2'],
    ['{"a": 1} {}', '1:10'],
    ['{"a": NaN}', '1:7'],
    ['{"a": "\t"}', '1:1'],
    ['', '1:1'],
  ])('refuses %j', (text, place) => {
    const { problems } = parseJson(text);
    expect(problems.map((problem) => `${problem.place.line}:${problem.place.column}`)).toEqual([place]);
    expect(problems[0]?.message).toBe('is not valid JSON');
  });

  it('refuses a duplicate key, at its second position', () => {
    expect(parseJson('{"a": 1,\n "b": {"c": 1, "c": 2}}').problems).toEqual([
      {
        path: ['b', 'c'],
        code: 'duplicate_key',
        message: 'is a key that the same object has already',
        place: { line: 2, column: 16 },
      },
    ]);
  });
});
