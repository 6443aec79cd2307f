import { describe, expect, it } from 'vitest';
import { createRandom, someValue } from '../fixtures/random.ts';
import { refuseDuplicates } from './refuse-duplicates.ts';

const check = (text: string) => refuseDuplicates(Buffer.from(text));

describe('refuseDuplicates', () => {
  it.each([
    '{"tools":[{"type":"custom","type":"web_search"}]}',
    '{"a":{"b":[{"c":1},{"d":{"e":1 , "f":"x,{", "e" : 2}}]}}',
    '{"a":[{"type":"x","t\\u0079pe":"y"}]}',
    '{"a":[{"é":"x","\\u00e9":"y"}]}',
  ])('refuses %s', (text) => {
    expect(() => check(text)).toThrow(/twice in one object/);
  });

  it.each([
    '{"a":{"type":1},"b":{"type":1},"c":[{"type":1},{"type":"type"}]}',
    '{"a":["b","b"],"b":"a","c":"\\"a\\":1,\\"a\\":2"}',
    '[]',
    '"a"',
  ])('takes %s', (text) => {
    expect(() => check(text)).not.toThrow();
  });

  it.each([2, 16, 17, 40])('finds the first of %i members again at the end, and takes them without', (count) => {
    const members = Array.from({ length: count }, (_, index) => `"member ${index}":${index}`);
    expect(() => check(`{"a":{${members.join()}}}`)).not.toThrow();
    expect(() => check(`{"a":{${members.join()},"member 0":1}}`)).toThrow(/"member 0"/);
    expect(() => check(`{"a":{${members.join()},"member\\u00200":1}}`)).toThrow(/"member 0"/);
  });

  it('takes whatever JSON.stringify writes, and refuses it with one more member', () => {
    const random = createRandom(11);
    for (let round = 0; round < 500; round += 1) {
      const value = JSON.stringify({ a: someValue(random, 4), b: { c: someValue(random, 3) } });
      check(value);
      expect(() => check(value.replace(/\}\}$/, ',"c":0}}'))).toThrow(/"c"/);
    }
  });
});
