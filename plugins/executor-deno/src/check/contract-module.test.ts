import type { Schema } from '@patchbay/core/plugin';
import { describe, expect, it } from 'vitest';
import { schemaDeclarations, schemaType } from './contract-module.ts';

const exact = { closeness: 'exact', present: 'required or default' } as const;
const loose = { closeness: 'loose', present: 'required' } as const;

describe('schemaType', () => {
  it('writes a schema as a type', () => {
    const types: readonly (readonly [Schema, string, string])[] = [
      [{}, 'any', 'unknown'],
      [{ type: 'integer' }, '(number)', '(number)'],
      [{ type: ['string', 'null'] }, '(string) | (null)', '(string) | (null)'],
      [{ enum: ['a', 1, null] }, '("a") | (1) | (null)', '(string) | (number) | (null)'],
      [{ const: 'a"b' }, '"a\\"b"', 'string'],
      [{ type: 'array', items: { type: 'boolean' } }, '(((boolean))[])', '(((boolean))[])'],
      [{ type: 'object' }, '(Record<string, any>)', '(object)'],
      [{ type: 'object', additionalProperties: { type: 'string' } }, '({ [name: string]: (string) })', '(object)'],
      [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, '((string)) | ((number))', '((string)) | ((number))'],
      [{ enum: [] }, 'never', 'never'],
    ];
    for (const [schema, exactType, looseType] of types) {
      expect(schemaType(schema, exact)).toBe(exactType);
      expect(schemaType(schema, loose)).toBe(looseType);
    }
  });

  it('properties with a default are present in the input', () => {
    const schema: Schema = {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string', default: '' }, c: {} },
      required: ['a', 'not declared'],
    };
    expect(schemaType(schema, exact)).toBe('({ "a": (string); "b": (string); "c"?: any; "not declared": any })');
    expect(schemaType(schema, loose)).toBe(
      '({ "a": (string); "b"?: (string); "c"?: unknown; "not declared": unknown })',
    );
    expect(schemaType(schema, { ...exact, present: 'all' })).not.toContain('?');
    expect(schemaType(schema, { ...exact, present: 'none' })).toBe(
      '({ "a"?: (string); "b"?: (string); "c"?: any; "not declared"?: any })',
    );
  });

  it('property names are quoted', () => {
    const properties = JSON.parse('{"__proto__": {"type": "string"}, "}; evil": {}}') as Record<string, Schema>;
    expect(schemaType({ properties }, exact)).toBe('({ "__proto__"?: (string); "}; evil"?: any })');
  });

  it('tuples, alternatives, combinations and what cannot be are types', () => {
    const pair: Schema = {
      type: 'array',
      prefixItems: [{ type: 'string' }, { type: 'null' }],
      items: false,
      minItems: 1,
    };
    expect(schemaType(pair, exact)).toBe('([((string)), ((null))?])');
    expect(schemaType(pair, loose)).toBe('((unknown)[])');
    expect(schemaType({ oneOf: [{ type: 'string' }, { const: 1 }] }, exact)).toBe('((string)) | (1)');
    expect(schemaType({ allOf: [{ type: 'string' }, { const: 'a' }] }, exact)).toBe('((string)) & ("a")');
    expect(schemaType({ not: {} }, exact)).toBe('never');
    const codes: Schema = { type: 'object', patternProperties: { '^a': { type: 'number' } } };
    expect(schemaType(codes, exact)).toBe('({ [name: string]: (number) })');
  });

  it('a schema that refers to itself is a type that names itself', () => {
    const node: Schema = { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } };
    const text = schemaDeclarations({ ...node, $defs: { Node: node } }, { type: 'object' });
    expect(text.split('\n')).toEqual([
      'type InputNode = ({ "next"?: InputNode });',
      'type Input = ({ "next"?: InputNode });',
      'type Output = (Record<string, any>);',
      'type YieldPart = (Record<string, any>);',
      'type Yield = YieldPart;',
      '',
    ]);
  });
});
