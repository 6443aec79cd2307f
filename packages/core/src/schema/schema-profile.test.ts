import { describe, expect, it } from 'vitest';
import { checkSchema } from './schema-profile.ts';

const check = (schema: object) => checkSchema(schema as Record<string, unknown>, '/input');
const faults = (schema: object) => check(schema).map(({ pointer, code }) => `${pointer} ${code}`);
const withProperty = (property: object) => ({ type: 'object', properties: { a: property } });

describe('checkSchema', () => {
  it('accepts the keywords of the specification and of the profile', () => {
    const schema = {
      type: 'object',
      title: 'All',
      description: 'Every keyword',
      required: ['text'],
      additionalProperties: { type: 'string' },
      properties: {
        text: { type: 'string', description: 'x', default: 'a', minLength: 1, maxLength: 9, pattern: '^[a-z]+$' },
        count: { type: 'integer', default: 5, minimum: 0, maximum: 9, exclusiveMinimum: -1, exclusiveMaximum: 10 },
        ratio: { type: ['number', 'null'], multipleOf: 0.5 },
        kind: { enum: ['a', 1, null, { b: 2 }] },
        fixed: { const: { a: [1] } },
        when: { type: 'string', format: 'date-time' },
        list: { type: 'array', items: { type: 'boolean' }, minItems: 1, maxItems: 3 },
        either: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
      },
    };
    expect(check(schema)).toEqual([]);
  });

  it.each([
    '$ref',
    '$id',
    '$defs',
    '$data',
    'allOf',
    'oneOf',
    'not',
    'if',
    'patternProperties',
    'uniqueItems',
    '$schema',
  ])('refuses %s with its place', (keyword) => {
    expect(faults(withProperty({ [keyword]: {} }))).toEqual([`/input/properties/a/${keyword} keyword_not_accepted`]);
  });

  it('a misspelt keyword gets a suggestion', () => {
    expect(check(withProperty({ minimun: 1 }))[0]?.detail).toContain('did you mean "minimum"?');
  });

  it.each([
    [{ type: 'text' }, 'type'],
    [{ type: [] }, 'type'],
    [{ type: ['string', 'string'] }, 'type'],
    [{ required: 'a' }, 'required'],
    [{ required: ['a', 'a'] }, 'required'],
    [{ properties: [] }, 'properties'],
    [{ items: [{ type: 'string' }] }, 'items'],
    [{ enum: [] }, 'enum'],
    [{ enum: Array.from({ length: 1_001 }, (_, index) => index) }, 'enum'],
    [{ minLength: -1 }, 'minLength'],
    [{ maxItems: 1.5 }, 'maxItems'],
    [{ multipleOf: 0 }, 'multipleOf'],
    [{ minimum: '1' }, 'minimum'],
    [{ format: 'regex' }, 'format'],
    [{ additionalProperties: 1 }, 'additionalProperties'],
    [{ anyOf: [] }, 'anyOf'],
    [{ anyOf: Array.from({ length: 9 }, () => ({})) }, 'anyOf'],
    [{ pattern: '(?=a)' }, 'pattern'],
    [{ pattern: '(a' }, 'pattern'],
    [{ pattern: 'a'.repeat(513) }, 'pattern'],
    [{ pattern: '((a{1,30}){1,30}){1,3}' }, 'pattern'],
    [{ pattern: 'a{1000}'.repeat(73) }, 'pattern'],
  ])('refuses %j', (property, keyword) => {
    expect(faults(withProperty(property))).toEqual([`/input/properties/a/${keyword} keyword_invalid`]);
  });

  it.each([[5], [null], ['string'], [true], [['x']]])('refuses %j as the schema of a property', (property) => {
    expect(faults({ type: 'object', properties: { ok: {}, a: property } })).toEqual([
      '/input/properties/a keyword_invalid',
    ]);
  });

  it('wants an object at the root', () => {
    expect(faults({ type: 'string' })).toEqual(['/input/type root_type']);
    expect(faults({})).toEqual(['/input/type root_type']);
  });

  it('reports all faults at once, with escaped pointers', () => {
    const schema = { type: 'object', properties: { 'a/b~c': { min: 1 }, d: { type: 'x' } } };
    expect(faults(schema).sort()).toEqual([
      '/input/properties/a~1b~0c/min keyword_not_accepted',
      '/input/properties/d/type keyword_invalid',
    ]);
  });

  it('refuses the name __proto__, which means something else in source text', () => {
    const schema = JSON.parse('{"type":"object","properties":{"__proto__":{}}}') as object;
    expect(faults(schema)).toEqual(['/input/properties reserved_name']);
    expect(faults({ type: 'object', required: ['__proto__'] })).toEqual(['/input/required reserved_name']);
    const property = JSON.parse('{"default":{"x":{"__proto__":1}}}') as object;
    expect(faults(withProperty(property))).toEqual(['/input/properties/a/default reserved_name']);
  });

  it('bounds what all patterns together cost to compile', () => {
    const properties = (pattern: string): object =>
      Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`p${index}`, { type: 'string', pattern }]));
    expect(faults({ type: 'object', properties: properties('^[a-z]{1,9}$') })).toEqual([]);
    for (const pattern of ['(aa|bb|cc){1,20}', '\\p{L}']) {
      expect(faults({ type: 'object', properties: properties(pattern) })).toEqual(['/input patterns_too_complex']);
    }
  });

  it('bounds bytes, nodes and depth', () => {
    const wide = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`p${index}`, { type: 'string' }]));
    expect(faults({ type: 'object', properties: wide })).toEqual(['/input too_many_nodes']);
    expect(faults({ type: 'object', description: 'x'.repeat(65_536) })).toEqual(['/input too_large']);
    let deep: object = { type: 'string' };
    for (let depth = 0; depth < 20; depth += 1) deep = { items: deep };
    expect(faults({ type: 'object', properties: { a: deep } })[0]).toMatch(/ too_deep$/);
  });
});
