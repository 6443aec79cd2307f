import { describe, expect, it } from 'vitest';
import type { Schema } from '../contracts/json-schema.ts';
import { compileSchema } from './compile-schema.ts';

const validate = (schema: Schema, value: unknown, fillDefaults = true) =>
  compileSchema(schema, { fillDefaults }).validate(value, '/input');

describe('compileSchema', () => {
  it('fills in defaults, also of nested objects, and only where asked to', () => {
    const schema: Schema = {
      type: 'object',
      properties: {
        count: { type: 'integer', default: 5 },
        nested: { type: 'object', properties: { on: { type: 'boolean', default: true } } },
      },
    };
    const value = { nested: {} };
    expect(validate(schema, value)).toEqual([]);
    expect(value).toEqual({ nested: { on: true }, count: 5 });
    const untouched = { nested: {} };
    expect(validate(schema, untouched, false)).toEqual([]);
    expect(untouched).toEqual({ nested: {} });
  });

  it.each([
    [19.99, 0.01, true],
    [0.3, 0.1, true],
    [-4.35, 0.01, true],
    [123_456_789.99, 0.01, true],
    [1e20, 0.01, true],
    [9_007_199_254_740_991, 1, true],
    [0, 0.01, true],
    [19.995, 0.01, false],
    [0.15, 0.1, false],
    [1.000_000_000_1, 1, false],
    [7, 2, false],
  ])('treats %d as a multiple of %d: %s', (value, multipleOf, isMultiple) => {
    const schema: Schema = { type: 'object', properties: { price: { type: 'number', multipleOf } } };
    const detail = `must be a multiple of ${multipleOf}`;
    const fault = { pointer: '/input/price', code: 'multipleOf', detail };
    expect(validate(schema, { price: value })).toEqual(isMultiple ? [] : [fault]);
  });

  it('shortens long property names in pointers', () => {
    const closed: Schema = { type: 'object', additionalProperties: false };
    const schema: Schema = { type: 'object', additionalProperties: closed };
    const name = 'n'.repeat(500_000);
    const members = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`m${index}`, 1]));
    const faults = validate(schema, { [name]: members, [`${name}/`]: 1 });
    expect(faults).toHaveLength(50);
    const shown = `/input/${'n'.repeat(99)}…`;
    expect(faults[0]).toMatchObject({ pointer: `${shown}/m0` });
    expect(JSON.stringify(faults).length).toBeLessThan(20_000);
    expect(validate(schema, { [name]: 1 })).toMatchObject([{ pointer: shown, code: 'type' }]);
  });

  it.each(['number', 'integer'] as const)('rejects a %s that overflows a double', (type) => {
    const schema: Schema = { type: 'object', properties: { sum: { type } } };
    expect(validate(schema, JSON.parse('{"sum":1e308}'))).toEqual([]);
    expect(validate(schema, JSON.parse('{"sum":1e309}'))).toMatchObject([{ pointer: '/input/sum', code: 'type' }]);
  });

  it('reports every fault of a small value with a pointer', () => {
    const schema: Schema = {
      type: 'object',
      required: ['text'],
      additionalProperties: false,
      properties: {
        text: { type: 'string' },
        kind: { enum: ['a', 'b'] },
        list: { type: 'array', items: { type: 'integer' } },
      },
    };
    expect(validate(schema, { kind: 'c', list: [1, 'x'], 'o/t': 1 })).toEqual([
      { pointer: '/input/text', code: 'required', detail: 'is required' },
      { pointer: '/input/o~1t', code: 'additionalProperties', detail: 'is not a property of the schema' },
      { pointer: '/input/kind', code: 'enum', detail: 'must be one of "a", "b"' },
      { pointer: '/input/list/1', code: 'type', detail: 'must be integer' },
    ]);
  });

  it.each([
    [['x'.repeat(90), 'y'.repeat(90), 'z', 7], `must be one of "${'x'.repeat(90)}", "${'y'.repeat(90)}", "z", 7`],
    [['x'.repeat(90), 'y'.repeat(100), 'z', 7], `must be one of "${'x'.repeat(90)}", "${'y'.repeat(100)}", and 2 more`],
    [['x'.repeat(200), 'y'], 'must be one of 2 values'],
  ])('names as many allowed values as fit, each whole: %#', (values, detail) => {
    const schema: Schema = { type: 'object', properties: { kind: { enum: values } } };
    expect(validate(schema, { kind: 'c' })).toEqual([{ pointer: '/input/kind', code: 'enum', detail }]);
  });

  it('reports only the first fault of a large value', () => {
    const schema: Schema = { type: 'object', properties: { list: { type: 'array', items: { type: 'integer' } } } };
    expect(validate(schema, { list: Array.from({ length: 50_000 }, () => 'x') })).toHaveLength(1);
  });

  it('ignores inherited members when it looks for required properties', () => {
    expect(validate({ type: 'object', required: ['toString'] }, {})).toHaveLength(1);
    expect(validate({ type: 'object', required: ['constructor'] }, {})).toHaveLength(1);
  });

  it('treats __proto__ members of a value as data', () => {
    const value = JSON.parse('{"__proto__":{"polluted":true}}') as object;
    expect(validate({ type: 'object', properties: { polluted: { type: 'string' } } }, value)).toEqual([]);
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    const closed: Schema = { type: 'object', additionalProperties: false };
    expect(validate(closed, value)[0]?.pointer).toBe('/input/__proto__');
  });

  it('matches patterns, and keeps different ones apart', () => {
    const schema: Schema = {
      type: 'object',
      properties: { a: { type: 'string', pattern: '^a+$' }, b: { type: 'string', pattern: '^b+$' } },
    };
    expect(validate(schema, { a: 'aa', b: 'bb' })).toEqual([]);
    expect(validate(schema, { a: 'bb', b: 'aa' }).map(({ pointer }) => pointer)).toEqual(['/input/a', '/input/b']);
  });

  it('stops matching when a value would cost too much', () => {
    const schema: Schema = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    expect(validate(schema, { a: `${'a'.repeat(40)}!` })[0]?.code).toBe('pattern');
    const [fault] = validate(schema, { a: 'a'.repeat(900_000) });
    expect(fault).toEqual({
      pointer: '/input',
      code: 'pattern',
      detail: 'is too long to be matched against the patterns of the schema',
    });
    // The share of one validation is not taken from the next.
    expect(validate(schema, { a: 'aaa' })).toEqual([]);
  });

  describe('refuses documents that would take too long to check', () => {
    const list = (items: Schema): Schema => ({ type: 'object', properties: { list: { type: 'array', items } } });
    const eight = (leaf: Schema): Schema => ({ anyOf: Array.from({ length: 8 }, () => leaf) });
    const names = Array.from({ length: 400 }, (_, index) => `p${index}`);
    const cases: readonly [string, Schema, unknown][] = [
      ['alternatives', list(eight(eight({ type: 'string' }))), 1],
      ['long enums', list({ enum: names }), 'p399'],
      ['enums of objects', list({ enum: names.map((name) => ({ name })) }), { name: 'p399' }],
      [
        'many defaults',
        list({ properties: Object.fromEntries(names.map((name): [string, Schema] => [name, { default: 0 }])) }),
        {},
      ],
    ];

    it.each(cases)('of %s', (_, schema, value) => {
      const many = { list: Array<unknown>(50_000).fill(value) };
      expect(validate(schema, many)).toMatchObject([{ pointer: '/input', code: 'too_costly' }]);
      expect(validate(schema, { list: [value] }).map(({ code }) => code)).not.toContain('too_costly');
    });

    it('and takes large ones that do not', () => {
      const record: Schema = {
        type: 'object',
        properties: Object.fromEntries(names.slice(0, 20).map((name): [string, Schema] => [name, { type: 'integer' }])),
      };
      const value = Object.fromEntries(names.slice(0, 20).map((name) => [name, 1]));
      expect(validate(list(record), { list: Array(4_500).fill(value) })).toEqual([]);
      const nullable: Schema = { anyOf: [{ type: 'string' }, { type: 'null' }] };
      expect(validate(list(nullable), { list: Array(99_000).fill(null) })).toEqual([]);
    });
  });

  it.each(['toString', 'valueOf', 'constructor'])('survives a member %s where objects are compared', (name) => {
    const schema: Schema = { type: 'object', properties: { a: { const: { b: 1 } }, c: { enum: [{ b: 1 }] } } };
    for (const member of ['a', 'c']) {
      expect(validate(schema, { [member]: { [name]: 1 } })).toHaveLength(1);
      expect(validate(schema, { [member]: { b: 1 } })).toEqual([]);
    }
  });

  it('checks formats', () => {
    const schema: Schema = { type: 'object', properties: { at: { type: 'string', format: 'date-time' } } };
    expect(validate(schema, { at: '2026-01-01T00:00:00Z' })).toEqual([]);
    expect(validate(schema, { at: 'yesterday' })[0]?.code).toBe('format');
  });
});
