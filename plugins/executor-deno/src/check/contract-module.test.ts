import type { Schema } from '@patchbay/core/plugin';
import { describe, expect, it } from 'vitest';
import { schemaType } from './contract-module.ts';

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
  });

  it('property names are quoted', () => {
    const properties = JSON.parse('{"__proto__": {"type": "string"}, "}; evil": {}}') as Record<string, Schema>;
    expect(schemaType({ properties }, exact)).toBe('({ "__proto__"?: (string); "}; evil"?: any })');
  });
});
