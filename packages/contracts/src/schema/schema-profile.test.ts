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

  it.each(['$data', '$dynamicRef', '$recursiveRef', '$vocabulary', 'nullable', 'extends'])(
    'refuses %s with its pointer',
    (keyword) => {
      expect(faults(withProperty({ [keyword]: {} }))).toEqual([`/input/properties/a/${keyword} keyword_not_accepted`]);
    },
  );

  it('accepts every keyword of draft 2020-12 that applies to values, and annotations for readers', () => {
    // Not written as a member: the linter mistakes it for a promise.
    const met = JSON.parse('{ "then": { "maxLength": 1 } }') as object;
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'https://acme.com/order',
      $comment: 'x',
      type: 'object',
      properties: {
        tuple: { prefixItems: [{ type: 'string' }, true], items: false, uniqueItems: true, unevaluatedItems: false },
        list: { contains: { const: 1 }, minContains: 1, maxContains: 2, examples: [[1]], deprecated: true },
        map: { propertyNames: { pattern: '^a' }, patternProperties: { '^a': {} }, minProperties: 1, maxProperties: 9 },
        either: { oneOf: [{ type: 'string' }, { type: 'number' }], not: { const: 1 }, readOnly: true },
        all: { allOf: [{ minLength: 1 }], if: { const: 'a' }, else: { minLength: 2 }, ...met },
        data: { contentEncoding: 'base64', contentMediaType: 'image/png', format: 'cuid2', writeOnly: true },
        day: { $ref: '#/$defs/day' },
        named: { $ref: '#moment' },
        earlier: { $ref: '#/definitions/old' },
      },
      dependentRequired: { tuple: ['list'] },
      dependentSchemas: { map: { required: ['list'] } },
      unevaluatedProperties: false,
      $defs: { day: { type: 'string', format: 'date' }, moment: { $anchor: 'moment', type: 'string' } },
      definitions: { old: { items: [{ type: 'string' }], additionalItems: false } },
    };
    expect(check(schema)).toEqual([]);
  });

  it('limits the cost of alternatives, references and name patterns', () => {
    const wide = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`p${index}`, { $ref: '#/$defs/b' }]));
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`q${index}`, { type: 'string' }]));
    const $defs = { b: { type: 'object', properties: many } };
    expect(faults({ type: 'object', properties: wide, $defs })).toEqual(['/input too_many_nodes']);
    const patternProperties = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`^(aa|bb|cc){1,20}${index}`, {}]),
    );
    expect(faults({ type: 'object', patternProperties })).toEqual(['/input patterns_too_complex']);
    expect(faults(withProperty({ patternProperties: { '(a': {} } }))).toEqual([
      '/input/properties/a/patternProperties keyword_invalid',
    ]);
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
    [{ items: [] }, 'items'],
    [{ uniqueItems: 1 }, 'uniqueItems'],
    [{ not: [] }, 'not'],
    [{ dependentRequired: { a: 'b' } }, 'dependentRequired'],
    [{ $ref: 5 }, '$ref'],
    [{ $ref: 'https://acme.com/other' }, '$ref'],
    [{ enum: [] }, 'enum'],
    [{ enum: Array.from({ length: 1_001 }, (_, index) => index) }, 'enum'],
    [{ minLength: -1 }, 'minLength'],
    [{ maxItems: 1.5 }, 'maxItems'],
    [{ multipleOf: 0 }, 'multipleOf'],
    [{ minimum: '1' }, 'minimum'],
    [{ format: 5 }, 'format'],
    [{ additionalProperties: 1 }, 'additionalProperties'],
    [{ anyOf: [] }, 'anyOf'],
    [{ anyOf: Array.from({ length: 65 }, () => ({})) }, 'anyOf'],
    [{ pattern: 'b(?=a)' }, 'pattern'],
    [{ pattern: '^(a)\\1$' }, 'pattern'],
    [{ pattern: '(a' }, 'pattern'],
    [{ pattern: 'a'.repeat(513) }, 'pattern'],
    [{ pattern: '((a{1,30}){1,30}){1,3}' }, 'pattern'],
    [{ pattern: 'a{1000}'.repeat(73) }, 'pattern'],
  ])('refuses %j', (property, keyword) => {
    expect(faults(withProperty(property))).toEqual([`/input/properties/a/${keyword} keyword_invalid`]);
  });

  it.each([[5], [null], ['string'], [['x']]])('refuses %j as the schema of a property', (property) => {
    expect(faults({ type: 'object', properties: { ok: {}, a: property } })).toEqual([
      '/input/properties/a keyword_invalid',
    ]);
  });

  it('requires an object at the root', () => {
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

  it('accepts a length limit of some hundred characters written as a pattern', () => {
    expect(faults(withProperty({ type: 'string', pattern: '^[\\s\\S]{0,300}$' }))).toEqual([]);
    const far = withProperty({ type: 'string', pattern: '^[\\s\\S]{0,600}$' });
    expect(faults(far)).toEqual(['/input/properties/a/pattern keyword_invalid']);
  });

  it('limits what all patterns together cost to compile', () => {
    const properties = (pattern: string): object =>
      Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`p${index}`, { type: 'string', pattern }]));
    expect(faults({ type: 'object', properties: properties('^[a-z]{1,9}$') })).toEqual([]);
    for (const pattern of ['(aa|bb|cc){1,20}', '\\p{L}']) {
      expect(faults({ type: 'object', properties: properties(pattern) })).toEqual(['/input patterns_too_complex']);
    }
  });

  it('limits bytes, nodes and depth', () => {
    const wide = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`p${index}`, { type: 'string' }]));
    expect(faults({ type: 'object', properties: wide })).toEqual(['/input too_many_nodes']);
    expect(faults({ type: 'object', description: 'x'.repeat(65_536) })).toEqual(['/input too_large']);
    let deep: object = { type: 'string' };
    for (let depth = 0; depth < 40; depth += 1) deep = { items: deep };
    expect(faults({ type: 'object', properties: { a: deep } })[0]).toMatch(/ too_deep$/);
  });
});
