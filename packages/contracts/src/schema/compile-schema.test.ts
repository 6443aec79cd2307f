import { describe, expect, it } from 'vitest';
import type { Schema } from '../json-schema.ts';
import { compileSchema } from './compile-schema.ts';

const validate = (schema: Schema, value: unknown, fillDefaults = true) =>
  compileSchema(schema, { fillDefaults }).validate(value, '/input');

describe('compileSchema', () => {
  it('fills in defaults, even of nested objects, and only on request', () => {
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
    // The cost of one validation is not charged to the next.
    expect(validate(schema, { a: 'aaa' })).toEqual([]);
  });

  describe('limits the cost of checking a document:', () => {
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

    it.each(cases)('refuses many %s', (_, schema, value) => {
      const many = { list: Array<unknown>(50_000).fill(value) };
      expect(validate(schema, many)).toMatchObject([{ pointer: '/input', code: 'too_costly' }]);
      expect(validate(schema, { list: [value] }).map(({ code }) => code)).not.toContain('too_costly');
    });

    it('accepts large documents that are cheap to check', () => {
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

  describe('applies the keywords of draft 2020-12', () => {
    // Not written as a member: the linter mistakes it for a promise.
    const met = JSON.parse('{ "then": { "minLength": 2 } }') as Schema;
    const cases: readonly [string, Schema, readonly unknown[], readonly unknown[]][] = [
      ['oneOf', { oneOf: [{ type: 'number' }, { minimum: 5 }] }, [1, 'x'], [6]],
      ['allOf', { allOf: [{ type: 'string' }, { minLength: 2 }] }, ['ab'], ['a', 1]],
      ['not', { not: { type: 'string', pattern: '^a' } }, ['b', 1], ['ab']],
      ['if, then, else', { if: { type: 'string' }, ...met, else: { type: 'null' } }, ['ab', null], ['a', 1]],
      ['prefixItems', { prefixItems: [{ type: 'string' }], items: false }, [[], ['a']], [['a', 1], [1]]],
      ['contains', { contains: { const: 1 }, minContains: 2 }, [[1, 2, 1]], [[1], []]],
      [
        'uniqueItems',
        { uniqueItems: true },
        [[1, '1', { a: 1, b: 2 }, [1]]],
        [
          [
            { a: 1, b: 2 },
            { b: 2, a: 1 },
          ],
          [1, 1.0],
        ],
      ],
      ['propertyNames', { propertyNames: { pattern: '^[a-z]+$' } }, [{ a: 1 }], [{ A: 1 }]],
      ['patternProperties', { patternProperties: { '^n_': { type: 'number' } } }, [{ n_a: 1, b: 'x' }], [{ n_a: 'x' }]],
      ['dependentRequired', { dependentRequired: { a: ['b'] } }, [{}, { a: 1, b: 2 }], [{ a: 1 }]],
      ['dependentSchemas', { dependentSchemas: { a: { required: ['b'] } } }, [{}, { a: 1, b: 2 }], [{ a: 1 }]],
      ['minProperties', { minProperties: 1, maxProperties: 2 }, [{ a: 1 }], [{}, { a: 1, b: 1, c: 1 }]],
      [
        'unevaluatedProperties',
        { allOf: [{ properties: { a: { type: 'number' } } }], unevaluatedProperties: false },
        [{ a: 1 }],
        [{ a: 1, b: 2 }],
      ],
      ['duration', { format: 'duration' }, ['P1D', 5], ['one day']],
      ['formats that are not checked', { format: 'cuid2' }, ['anything'], []],
    ];

    it.each(cases)('%s', (_, property, valid, invalid) => {
      const schema: Schema = { type: 'object', properties: { a: property } };
      for (const value of valid) expect(validate(schema, { a: value })).toEqual([]);
      for (const value of invalid) expect(validate(schema, { a: value })).not.toEqual([]);
    });
  });

  const list: Schema = {
    $ref: '#/$defs/list',
    $defs: { list: { type: 'object', properties: { next: { $ref: '#/$defs/list' }, n: { type: 'integer' } } } },
  };
  const chain = (length: number, end: object = {}): object =>
    Array.from({ length }).reduce<object>((next) => ({ next }), end);

  it('a recursive schema is applied 32 levels deep, and refuses deeper data', () => {
    expect(validate(list, chain(32))).toEqual([]);
    expect(validate(list, chain(3, { n: 'x' }))).toMatchObject([{ pointer: '/input/next/next/next/n', code: 'type' }]);
    const detail = 'is nested more than 32 levels deep, where the schema refers to itself';
    expect(validate(list, chain(33))).toEqual([{ pointer: '/input', code: 'too_deep', detail }]);
  });

  it('alternatives told apart by one member report the faults of the intended one', () => {
    const option = (name: string): Schema => ({
      type: 'object',
      properties: { size: { type: 'integer' }, kind: { const: name } },
      required: ['kind', 'size'],
    });
    for (const keyword of ['anyOf', 'oneOf']) {
      const schema = { type: 'object', properties: { a: { [keyword]: [option('x'), option('y')] } } } as Schema;
      expect(validate(schema, { a: { kind: 'y', size: 1 } })).toEqual([]);
      expect(validate(schema, { a: { kind: 'y', size: 'big' } })).toEqual([
        { pointer: '/input/a/size', code: 'type', detail: 'must be integer' },
      ]);
      const detail = 'must name one of the alternatives of the schema';
      expect(validate(schema, { a: { kind: 'z', size: 1 } })).toEqual([
        { pointer: '/input/a/kind', code: 'discriminator', detail },
      ]);
      expect(validate(schema, { a: 'text' })).toMatchObject([{ pointer: '/input/a', code: 'type' }]);
    }
  });

  it('properties named like keywords are properties', () => {
    const schema: Schema = {
      type: 'object',
      properties: {
        enum: { type: 'string' },
        const: { type: 'integer' },
        $ref: { type: 'null' },
        oneOf: { minItems: 1 },
      },
    };
    expect(validate(schema, { enum: 'a', const: 1, $ref: null, oneOf: [1] })).toEqual([]);
    expect(validate(schema, { enum: 1, const: 'a', $ref: 1, oneOf: [] })).toHaveLength(4);
  });

  it('a pattern skipped because of its cost does not count as one that does not match', () => {
    const property: Schema = { not: { type: 'string', pattern: '^(a+)+$' } };
    const schema: Schema = { type: 'object', properties: { a: property } };
    expect(validate(schema, { a: 'a'.repeat(900_000) })).toMatchObject([{ code: 'pattern' }]);
    const names: Schema = { type: 'object', patternProperties: { '^(a+)+$': false as unknown as Schema } };
    expect(validate(names, { ['a'.repeat(900_000)]: 1 })).toMatchObject([{ code: 'pattern' }]);
  });

  describe('for alternatives in a recursive schema,', () => {
    const json: Schema = {
      type: 'object',
      properties: { value: { $ref: '#/$defs/json' } },
      $defs: {
        json: {
          anyOf: [
            { type: ['string', 'number', 'null'] },
            { type: 'array', items: { $ref: '#/$defs/json' } },
            { type: 'object', additionalProperties: { $ref: '#/$defs/json' } },
          ],
        },
      },
    };
    const binary = (kinds: readonly Schema[]): Schema => ({
      type: 'object',
      properties: { value: { $ref: '#/$defs/node' } },
      $defs: { node: { anyOf: kinds } },
    });
    const node = (own: Schema['properties'], required: readonly string[] = []): Schema => ({
      type: 'object',
      properties: { ...own, left: { $ref: '#/$defs/node' } },
      required,
    });
    const nested = (levels: number, leaf: unknown): unknown =>
      Array.from({ length: levels }).reduce((left) => ({ kind: 'b', left }), leaf);

    it('accepts large documents if the type tells them apart', () => {
      const rows = Array.from({ length: 3_000 }, (_, index) => ({ id: index, tags: ['a', { b: [1] }] }));
      expect(validate(json, { value: { rows } })).toEqual([]);
    });

    it('accepts deep documents if a member tells them apart', () => {
      const kinds = ['a', 'b', 'c'].map((kind) => node({ kind: { const: kind } }, ['kind']));
      expect(validate(binary(kinds), { value: nested(30, { kind: 'a' }) })).toEqual([]);
    });

    it('refuses deep documents that need every alternative to be tried', () => {
      const kinds = ['a', 'b', 'c'].map((name) => node({ [name]: { type: 'string' } }));
      expect(validate(binary(kinds), { value: nested(30, { kind: 'a' }) })).toMatchObject([{ code: 'too_costly' }]);
    });
  });
});
