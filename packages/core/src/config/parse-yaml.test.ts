import { describe, expect, it } from 'vitest';
import { parseYaml } from './parse-yaml.ts';

const messagesOf = (text: string) =>
  parseYaml(text).problems.map(({ message, place }) => `${place.line}:${place.column} ${message}`);

describe('parseYaml', () => {
  it('every value and key has its position', () => {
    const { value, places, problems } = parseYaml('a:\n  - b: 1\n  - "x"\nc: {d: true}\n');
    expect(problems).toEqual([]);
    expect(value).toEqual({ a: [{ b: 1 }, 'x'], c: { d: true } });
    expect(places.get('/a/0/b')).toEqual({ key: { line: 2, column: 5 }, value: { line: 2, column: 8 } });
    expect(places.get('/a/1')).toEqual({ value: { line: 3, column: 5 } });
    expect(places.get('/c/d')).toEqual({ key: { line: 4, column: 5 }, value: { line: 4, column: 8 } });
  });

  it('reads the scalars of YAML 1.2, in which yes, no and dates are strings', () => {
    const { value } = parseYaml('[yes, off, 2026-01-02, 010, 0x1F, 1e3, ~, null, true]');
    expect(value).toEqual(['yes', 'off', '2026-01-02', 10, 31, 1000, null, null, true]);
  });

  it('an alias has the position of each use', () => {
    const { value, places } = parseYaml('a: &x {b: 1}\nc: *x\n');
    expect(value).toEqual({ a: { b: 1 }, c: { b: 1 } });
    expect(places.get('/c')?.value).toEqual({ line: 2, column: 4 });
  });

  it('Windows line endings, a byte order mark, numbers as keys, and names of object members are accepted', () => {
    const { value } = parseYaml('\uFEFF1: a\r\n__proto__: b\r\ntoString: c\r\n');
    expect(Object.entries(value as object)).toEqual([
      ['1', 'a'],
      ['__proto__', 'b'],
      ['toString', 'c'],
    ]);
  });

  it.each([
    ['a: 1\nb: 2\na: 3', '3:1 "a" is a key that the same map has already'],
    ['a: { "b c": 1, "b c": 2 }', '1:16 "b c" is a key that the same map has already'],
    ['? [a]\n: 1\n? a\n: 2\n? a\n: 3', '5:3 is a key that the same map has already'],
    ['a: !mine x', '1:4 has a tag (!) that is not known here'],
    ['a: !!binary aGk=', '1:13 is neither a string, a number, true, false, a list nor a map'],
    ['a: &x {b: 1}\nc:\n  <<: *x\n', '3:3 has a merge key (<<), which YAML 1.2 has not: use an alias, or repeat it'],
    ['a: *nowhere', '1:4 there is no anchor "&nowhere" before'],
    ['a: &x [1, *x]', '1:11 is an alias of what it is in'],
    ['? [a]\n: 1', '1:3 has a key that is not a string'],
    ['a: 1\n---\nb: 2', '2:1 begins a second document: a config file has one'],
    ['a:\n\tb: 1', '2:1 is indented with a tab: use spaces'],
    ['use: @patchbay/x', '1:6 is a string that begins with a character reserved by YAML: put it in quotes'],
    ['a:\n  b: { c: 1\n', '3:1 is not valid YAML: a } or ] before this is missing, or its lines are not indented'],
    ['a: "x', '1:6 is not valid YAML: a closing quote, bracket or comma is missing'],
    ['a: "\\q"', "1:5 is not valid YAML: an escape (\\) in double quotes is wrong; in 'single quotes' there is none"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: that is what is tested
    ['s: { p: ${PORT} }', '1:10 is not valid YAML: inside { } and [ ], "${...}" must be in quotes'],
  ])('refuses %j', (text, message) => {
    expect(messagesOf(text)).toContain(message);
  });

  it('messages never quote the file, which may hold secrets', () => {
    const texts = [
      'key: ["s3cr3t" s3cr3t',
      'key: "s3cr3t\n',
      'key: s3cr3t: s3cr3t',
      '{ key: s3cr3t }}',
      'key: @s3cr3t',
    ];
    const messages = texts.flatMap(messagesOf);
    expect(messages.length).toBeGreaterThanOrEqual(texts.length);
    expect(messages.join()).not.toContain('s3cr3t');
  });

  it('refuses aliases of aliases that would exhaust the memory', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 12; level += 1) {
      lines.push(
        `a${level}: &a${level} [${Array(9)
          .fill(`*a${level - 1}`)
          .join(', ')}]`,
      );
    }
    expect(messagesOf(lines.join('\n')).join()).toContain('has more than 20000 values, aliases counted');
  });
});
