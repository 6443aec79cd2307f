import { describe, expect, it } from 'vitest';
import { jsonTextOf, readJson } from './json-text.ts';
import { parseInTurns } from './parse-in-turns.ts';

const codeOf = async (text: string): Promise<unknown> => {
  try {
    return (await readJson(text)).values;
  } catch (error) {
    return (error as { readonly code: string }).code;
  }
};

describe('untrusted JSON', () => {
  it.each([
    ['64 levels', `${'['.repeat(64)}${']'.repeat(64)}`, 64],
    ['65 levels', `${'['.repeat(65)}${']'.repeat(65)}`, 'too_deep'],
    ['100,000 values', `[${'1,'.repeat(99_998)}1]`, 100_000],
    ['100,001 values', `[${'1,'.repeat(99_999)}1]`, 'too_deep'],
    ['empty containers', '{"a":[],"b":{ },"c":[ 1 ]}', 5],
    ['brackets within strings', '["[[[[,,,","\\"[,"]', 3],
    ['a number beyond a double', '[1e999]', 'invalid_json'],
    ['a long number beyond a double', `[${'9'.repeat(400)}]`, 'invalid_json'],
    ['an exponent that a double has', '[1e99]', 2],
    ['a NUL character', '["\\u0000"]', 'unsupported_unicode'],
    ['an escaped escape', '["\\\\u0000"]', 2],
    ['a lone surrogate in a name', '{"\\ud800":1}', 'unsupported_unicode'],
    ['a pair of surrogates', '["\\ud83d\\ude00"]', 2],
    ['an unclosed array', '[1', 'invalid_json'],
    ['nothing', ' ', 'invalid_json'],
  ])('a text of %s is held to the limits', async (_, text, expected) => {
    expect(await codeOf(text)).toBe(expected);
  });

  it('a string of any length, with any escapes, hides its brackets and commas', async () => {
    const endings = ['', '\\\\', '\\"', '\\\\\\"', '\\"[,{\\"', '\\n', 'é', '世'];
    const texts = Array.from({ length: 70 }, (_, length) =>
      endings.map((ending) => `"${'[,'.repeat(length)}${ending}${'x'.repeat(length % 3)}"`),
    ).flat();
    for (const text of texts) expect([text, await codeOf(`[${text},[1,${text}]]`)]).toEqual([text, 5]);
    const long = `[${texts.join()}]`.repeat(40);
    expect(await codeOf(`[${long.replaceAll('][', '],[')}]`)).toBe(1 + 40 * (1 + texts.length));
    expect(long.length).toBeGreaterThan(524_288);
  });

  it('a text with many values has the same limits, and its error a position', async () => {
    const many = '{"a":1},'.repeat(20_000);
    expect(await codeOf(`[${many}"\\u0000"]`)).toBe('unsupported_unicode');
    expect(await codeOf(`[${many}1e999]`)).toBe('invalid_json');
    await expect((async () => await readJson(`[${many}\n oops]`))()).rejects.toThrow('see line 2, column 2');
  });
});

const samples = [
  '{"a":[1,-2.5e-3,0,-0,true,false,null,"x\\n\\u00e9😀"],"":{"b":{}},"a":[[],[{}]]}',
  ' [ 1 , { "a" : "b" } ]\n',
  '{"__proto__":{"polluted":true},"constructor":1,"10":1,"9":2}',
  '"text"',
  '12',
  'null',
];

const broken = [
  '',
  '[',
  ']',
  '{',
  '{"a"}',
  '{"a":}',
  '{a:1}',
  '[1,]',
  '[,1]',
  '{"a":1,}',
  '01',
  '1.',
  '.5',
  '+1',
  'nul',
];

describe('parseInTurns', () => {
  it.each(samples)('parseInTurns returns what JSON.parse returns: %s', async (text) => {
    const value = await parseInTurns(text, () => {});
    expect(value).toEqual(JSON.parse(text));
    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
  });

  it.each([
    ...broken,
    '"a',
    '"\n"',
    '"\\x"',
    '[1]]',
    '[1}',
    '{"a":1]',
    '1 2',
    'truefalse',
    '-',
    '1e',
    "'a'",
    '\u00a01',
  ])('parseInTurns refuses what JSON.parse refuses: %j', async (text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    await expect(parseInTurns(text, () => {})).rejects.toThrow(SyntaxError);
  });

  it('parseInTurns agrees with JSON.parse on every mutation of a sample by one character', async () => {
    const [sample = ''] = samples;
    const attempt = (parse: () => unknown): unknown => {
      try {
        return JSON.stringify(parse());
      } catch {
        return 'refused';
      }
    };
    for (let index = 0; index < sample.length; index += 1) {
      for (const character of ['', '"', ',', ':', '{', ']', '0', '-', '\\', ' ']) {
        const text = sample.slice(0, index) + character + sample.slice(index + 1);
        const parsed = await parseInTurns(text, () => {}).catch(() => undefined);
        expect([text, parsed === undefined ? 'refused' : JSON.stringify(parsed)]).toEqual([
          text,
          attempt(() => JSON.parse(text)),
        ]);
      }
    }
  });

  it('the event loop keeps turning during parsing', async () => {
    let turns = 0;
    const count = setInterval(() => {
      turns += 1;
    }, 0);
    const immediate = (): void => {
      turns += 1;
      next = setImmediate(immediate);
    };
    let next = setImmediate(immediate);
    await parseInTurns(`[${'{"a":1},'.repeat(40_000)}1]`, () => {});
    clearInterval(count);
    clearImmediate(next);
    expect(turns).toBeGreaterThan(10);
  });
});

describe('the text of a document', () => {
  it('a large document keeps the text that it was parsed from', async () => {
    const input = `{"a":[${'1,'.repeat(40_000)}1],"b":" \\" "}`;
    const { value } = await readJson(`{ "input" : ${input.replaceAll(':', ' :\n ')} }`);
    const { input: read } = value as { readonly input: object };
    expect(jsonTextOf(read)).toBe(input);
    expect(jsonTextOf({ id: 'x', input: read, none: undefined })).toBe(`{"id":"x","input":${input}}`);
    expect(jsonTextOf({ execution: { input: read } })).toBe(`{"execution":{"input":${input}}}`);
    expect(JSON.parse(jsonTextOf(structuredClone(read)))).toEqual(read);
  });

  it('other documents are stringified', () => {
    const value = { a: [1, undefined, { toJSON: () => 'x' }], at: new Date(0), none: undefined };
    expect(jsonTextOf(value)).toBe(JSON.stringify(value));
  });
});
