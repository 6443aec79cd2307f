import { describe, expect, it } from 'vitest';
import { TopLevel } from './top-level.ts';

const of = (text: string) => new TopLevel(Buffer.from(text));
const edited = (text: string, changes: Readonly<Record<string, unknown>>) =>
  Buffer.from(of(text).with(changes)).toString();

describe('TopLevel', () => {
  it('a replaced value leaves every other byte as it was', () => {
    const text = '{ "a" : 1.0e2,\n\t"model":"gpt" , "b":{"model":"inner","c":[1, "]}\\""]}, "é":"\\u00e9" }';
    expect(edited(text, { model: 'x/"y"' })).toBe(text.replace('"model":"gpt"', '"model":"x/\\"y\\""'));
  });

  it.each([
    ['{"routing":{"a":[]},"b":1}', '{"b":1}'],
    ['{"b":1,"routing":{"a":[]}}', '{"b":1}'],
    ['{"b":1, "routing":null, "c":2}', '{"b":1,  "c":2}'],
    ['{ "routing" : 5 }', '{  }'],
    ['{"b":1}', '{"b":1}'],
  ])('of %s, without routing, is left %s', (text, expected) => {
    expect(edited(text, { routing: undefined })).toBe(expected);
    expect(JSON.parse(edited(text, { routing: undefined }))).not.toHaveProperty('routing');
  });

  it('neighbours can be removed together', () => {
    const gone = { a: undefined, b: undefined };
    for (const text of ['{"x":1,"b":2,"a":3}', '{"a":1,"b":2}', '{"a":1,"x":1,"b":2}', '{"b":2,"a":1,"x":1}']) {
      const { a: _, b: __, ...rest } = JSON.parse(text);
      expect(JSON.parse(edited(text, gone))).toEqual(rest);
    }
  });

  it.each(['{}', ' { } ', '{"a":1}', '{"routing":1}', '{"routing":1,"a":2}', '{"a":2,"routing":1}'])(
    'a member is added to %s',
    (text) => {
      const result = JSON.parse(edited(text, { stream_options: { include_usage: true }, routing: undefined }));
      const { routing: _, ...rest } = JSON.parse(text);
      expect(result).toEqual({ ...rest, stream_options: { include_usage: true } });
    },
  );

  it.each(['{"model":1,"model":2}', '{"model":1,"a":{},"mod\\u0065l":2}', '{"a":1,"__proto__":1,"__proto__":2}'])(
    'refuses %s, whose member occurs twice',
    (text) => {
      expect(() => of(text)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    },
  );

  it.each(['[1]', '"a"', 'null', '5', ''])('refuses %s, which is no object', (text) => {
    expect(() => of(text)).toThrow('must be a JSON object');
  });

  it('reads the value of a member only when it is asked for', () => {
    const body = of('{"stream":true,"messages":[{"content":"\\"}"}],"max_tokens":1e3,"n":null}');
    expect([body.value('stream'), body.value('max_tokens'), body.value('n'), body.value('x')]).toEqual([
      true,
      1_000,
      null,
      undefined,
    ]);
    expect(body.value('messages')).toEqual([{ content: '"}' }]);
    expect([body.has('n'), body.has('constructor')]).toEqual([true, false]);
  });

  it('1,000 seeded bodies with one member replaced and one removed are otherwise the same', () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const texts = ['', 'a', '"', '\\', '\\"', '{', '}', ',', ':', 'é', '東', '\n', '\u2028', 'model'];
    const value = (depth: number): unknown => {
      const kind = random(depth > 3 ? 4 : 6);
      if (kind === 0) return texts[random(texts.length)];
      if (kind === 1) return random(1_000) / 8;
      if (kind === 2) return random(2) === 0;
      if (kind === 3) return null;
      if (kind === 4) return Array.from({ length: random(4) }, () => value(depth + 1));
      return Object.fromEntries(
        Array.from({ length: random(4) }, (_, index) => [`${texts[random(texts.length)]}${index}`, value(depth + 1)]),
      );
    };
    for (let round = 0; round < 1_000; round += 1) {
      const members: [string, unknown][] = Array.from({ length: random(5) }, (_, index) => [`m${index}`, value(0)]);
      members.splice(random(members.length + 1), 0, ['model', 'gpt']);
      if (random(2) === 0) members.splice(random(members.length + 1), 0, ['routing', value(0)]);
      const document = Object.fromEntries(members);
      const text = JSON.stringify(document, null, random(3));
      const { routing: _, ...expected } = { ...document, model: 'other' } as Record<string, unknown>;
      expect(JSON.parse(edited(text, { model: 'other', routing: undefined }))).toEqual(expected);
    }
  });
});
