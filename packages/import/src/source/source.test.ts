import { describe, expect, it } from 'vitest';
import { parseToml } from './parse-toml.ts';
import { parseYaml } from './parse-yaml.ts';
import { createSource } from './source.ts';
import { mergeNodes } from './source-node.ts';

describe('a source', () => {
  const yaml = 'a:\n  b: 1\n  c: [x, y]\nd: { e: text, f: null }\ng: []\n';
  const isNamed = () => false;

  it('names what was not read: members of maps, and lists as a whole', () => {
    const source = createSource(parseYaml(yaml, 'a.yaml'));
    expect(source.rest(isNamed).map(({ path, place }) => `${place} ${path}`)).toEqual([
      'a.yaml:2:6 a.b',
      'a.yaml:3:6 a.c',
      'a.yaml:4:9 d.e',
      'a.yaml:5:4 g',
    ]);
    expect(source.member('a')?.number('b')).toBe(1);
    expect(source.member('a')?.texts('c')).toEqual(['x', 'y']);
    expect(source.member('g')?.items()).toEqual([]);
    expect(source.rest(isNamed).map(({ path }) => path)).toEqual(['d.e']);
    expect(source.rest((path) => path === 'd').map(({ path }) => path)).toEqual(['d']);
  });

  it('does not read a member of another type', () => {
    const source = createSource(parseYaml('a: 5\nb: [1, x]\n', 'a.yaml'));
    expect([source.text('a'), source.boolean('a'), source.texts('b'), source.number('c')]).toEqual(
      Array(4).fill(undefined),
    );
    expect(source.rest(isNamed).map(({ path }) => path)).toEqual(['a', 'b']);
  });
});

describe('YAML as Python reads it', () => {
  it('has merge keys, anchors, words for booleans, and dates as they are written', () => {
    const text = 'base: &base { a: 1, b: yes }\nown:\n  <<: *base\n  a: 2\n  version: 2024-10-21\n';
    const source = createSource(parseYaml(text, 'a.yaml'));
    expect(source.member('own')?.take()).toEqual({ b: true, a: 2, version: '2024-10-21' });
  });

  it.each(['a: [1', 'a: 1\na: 2', '"a'])('%j is refused with its place', (text) => {
    expect(() => parseYaml(text, 'a.yaml')).toThrow(/^a\.yaml:\d+:\d+ /);
  });
});

describe('TOML', () => {
  it('has dotted keys, tables that are opened again, and lists of tables', () => {
    const text =
      '[a.b]\nc.d = 1\n[a]\ne = "x"\n[[f]]\ng = [1, { h = true }]\n[[f]]\n[f.i]\nj = 1_000\n[a."b.c"]\nk = 1.5\n';
    const source = createSource(parseToml(text, 'a.toml'));
    expect(source.take()).toEqual({
      a: { b: { c: { d: 1 } }, e: 'x', 'b.c': { k: 1.5 } },
      f: [{ g: [1, { h: true }] }, { i: { j: 1_000 } }],
    });
    expect(source.member('f')?.items()[1]?.member('i')?.member('j')?.place).toBe('a.toml:9:1');
  });

  it('is refused with its place', () => {
    expect(() => parseToml('a = 1\nb = \n', 'a.toml')).toThrow(/^a\.toml:\d+:\d+ /);
  });

  it('of several files is one, unless they define the same value', () => {
    const merge = (one: string, other: string) => mergeNodes(parseToml(one, 'a.toml'), parseToml(other, 'b.toml'));
    expect(createSource(merge('[a.b]\nc = 1\n[[d]]\ne = 1', '[a.f]\ng = 2\n[[d]]\ne = 2')).take()).toEqual({
      a: { b: { c: 1 }, f: { g: 2 } },
      d: [{ e: 1 }, { e: 2 }],
    });
    expect(() => merge('[a]\nb = 1', '[a]\nb = 2')).toThrow('b.toml:2:1 defines again what a.toml:2:1 defines');
  });
});
