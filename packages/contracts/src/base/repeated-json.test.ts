import { describe, expect, it } from 'vitest';
import { readShortJson } from './json-text.ts';
import { RepeatedJson } from './repeated-json.ts';

/** Numbers from 0 to 1 that are the same in each run. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const words = 'a content delta ü 語 🚀 1 0 1~0 20 null ~ __proto__ " \\ \\" \\u0041 {"content":"a"} ","content":"b';
const texts = [...words.split(' '), ' word', '', '\u0000', '\n', '\t', '\u007f', '\u2028', '\ud800', 'x\udc00'];
const numbers = '0 1 7 12 345 999999999999999 1234567890123456 -0 -1 01 1.0 1.5 1e0 1e1 5E-1 1e400';
const tokens = [...numbers.split(' '), 'null', 'true', '"7"', '[]', '{}', '[1]', '{"content":1}', ''];
/** `%t` is a quoted string, `%n` another value. */
const frames = [
  '{"id":"c","choices":[{"index":0,"delta":{"content":%t},"finish_reason":null}],"usage":null}',
  '{"id": "c", "choices": [{"index": 0, "delta": {"content": %t}}], "n": %n}',
  '{"content":%t,"content":%t}',
  '{"a":%t,"a":"content","content":%t}',
  '{"content":%t,"obfuscation":%t,"sequence":%n,"count":%n}',
  '[%t,%t,%n]',
  '{"2":%t,"1":%n,"b":[[%n],{"c":%t}]}',
  '{"__proto__":%t,"__proto":%n}',
  '{"__proto__":{"content":%t}}',
  ' {"a" :\t%n , "b":\n%t } ',
  '{"note":"\\"content\\":","content":%t}',
  '%t',
  '%n',
  '{%t:%n}',
];

function outcomeOf(read: () => unknown): { readonly value?: unknown; readonly failed?: true } {
  try {
    return { value: read() };
  } catch {
    return { failed: true };
  }
}

/** Changes its members, as a reader that accumulates what it receives may do. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    spoil(member);
    Object.defineProperty(value, name, { value: 'spoilt' });
  }
}

describe('RepeatedJson', () => {
  it.each([
    ['JSON.parse', (text: string): unknown => JSON.parse(text)],
    ['the rule for JSON from outside', (text: string): unknown => readShortJson(text).value],
  ])('the documents of any stream equal those of %s', (_, parse) => {
    const random = randomOf(7);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    for (let stream = 0; stream < 400; stream += 1) {
      const json = new RepeatedJson(parse);
      const few = [pick(frames), pick(frames)] as const;
      const isPlain = random() < 0.5;
      const text = () => (isPlain && random() < 0.8 ? `w${Math.floor(random() * 20)}` : pick(texts));
      const written = () => (random() < 0.5 ? `"${text()}"` : JSON.stringify(text()));
      const other = () => (isPlain && random() < 0.8 ? `${Math.floor(random() * 200)}` : pick(tokens));
      for (let event = 0; event < 30; event += 1) {
        const frame = few[random() < 0.9 ? 0 : 1];
        const document = frame.replaceAll('%t', written).replaceAll('%n', other);
        const before = pick(['', 'data: ', '"']);
        const read = outcomeOf(() =>
          json.read(`${before}${document}"}`, before.length, before.length + document.length),
        );
        expect(read, document).toStrictEqual(outcomeOf(() => parse(document)));
        if (random() < 0.5) spoil(read.value);
      }
    }
  });

  it.each([
    ['a string', (index: number) => ({ type: 'delta', index: 0, delta: { text: ` word ${index} – ü 🚀` } })],
    ['several texts', (index: number) => ({ content: `${index}`, logprobs: [], obfuscation: 'x'.repeat(index % 7) })],
    ['a text and a count', (index: number) => ({ sequence_number: index, item_id: 'i', delta: `word ${index}` })],
    ['items of a list', (index: number) => ({ choices: [{ parts: ['a', `b${index}`, index] }] })],
  ])('a stream whose documents vary in %s is parsed at its beginning', (_, document) => {
    let parsed = 0;
    const json = new RepeatedJson((text): unknown => {
      parsed += 1;
      return JSON.parse(text);
    });
    for (let index = 0; index < 500; index += 1) {
      expect(json.read(JSON.stringify(document(index)))).toStrictEqual(document(index));
    }
    expect(parsed).toBeLessThan(20);
  });

  it('documents of any depth are read', () => {
    const json = new RepeatedJson((text): unknown => JSON.parse(text));
    for (const word of ['a', 'b', 'c', 'd', 'e']) {
      const text = `${'['.repeat(8_000)}"${word}"${']'.repeat(8_000)}`;
      expect(Array.isArray(json.read(text))).toBe(true);
    }
  });

  it('documents that never repeat are no longer compared after a while', () => {
    let parsed = 0;
    const json = new RepeatedJson((text): unknown => {
      parsed += 1;
      return JSON.parse(text);
    });
    for (let index = 0; index < 500; index += 1) json.read(JSON.stringify({ [`name ${index}`]: index }));
    expect(parsed).toBeLessThan(550);
  });
});
