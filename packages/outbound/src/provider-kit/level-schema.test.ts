import type { Schema } from '@patchbay/contracts/json-schema';
import { describe, expect, it } from 'vitest';
import { levelSchema, type SchemaDialect } from './level-schema.ts';

const plain: SchemaDialect = {
  keywords: new Set(['type', 'properties', 'required', 'items', 'enum', 'description', 'anyOf', 'format']),
  formats: new Set(['date']),
};
const closed: SchemaDialect = { ...plain, closedObjects: true };
const open: SchemaDialect = { keywords: new Set([...plain.keywords, 'additionalProperties', 'const', 'title']) };

describe('levelSchema', () => {
  it('leaves alone what the vendor supports', () => {
    const schema: Schema = {
      type: 'object',
      title: 'Point',
      properties: { x: { type: 'string', format: 'email', const: 'a' }, y: { anyOf: [{ type: 'null' }] } },
      required: ['x'],
      additionalProperties: { type: 'array', items: { enum: [1, 2] } },
    };
    expect(levelSchema(schema, open, 'the schema')).toEqual({ schema, warnings: [] });
  });

  it('describes to the model what the vendor does not support, and warns once per keyword', () => {
    const { schema, warnings } = levelSchema(
      {
        type: 'object',
        properties: {
          age: { type: 'integer', description: 'In years', minimum: 0, maximum: 150 },
          tags: { type: 'array', items: { type: 'string', maxLength: 9 }, minItems: 1 },
          size: { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] },
        },
      },
      plain,
      'the schema',
    );
    expect(schema).toEqual({
      type: 'object',
      properties: {
        age: { type: 'integer', description: 'In years; minimum: 0; maximum: 150' },
        tags: { type: 'array', items: { type: 'string', description: 'maxLength: 9' }, description: 'minItems: 1' },
        size: { anyOf: [{ type: 'integer', description: 'minimum: 1' }, { type: 'null' }] },
      },
    });
    expect(warnings).toEqual(
      ['minimum', 'maximum', 'maxLength', 'minItems'].map(
        (keyword) => `${keyword} in the schema is only described to the model, not enforced`,
      ),
    );
  });

  it('expresses a constant as the only value, and does not warn about annotations', () => {
    expect(levelSchema({ type: 'string', const: 'a', title: 'A', default: 'a' }, plain, 'x')).toEqual({
      schema: { type: 'string', enum: ['a'], description: 'title: "A"; default: "a"' },
      warnings: [],
    });
  });

  it('knows which formats the vendor supports', () => {
    expect(levelSchema({ type: 'string', format: 'date' }, plain, 'x').schema).toEqual({
      type: 'string',
      format: 'date',
    });
    expect(levelSchema({ type: 'string', format: 'email' }, plain, 'x')).toEqual({
      schema: { type: 'string', description: 'format: "email"' },
      warnings: ['format in x is only described to the model, not enforced'],
    });
  });

  it('closes objects if the vendor requires it, and warns if the caller wanted them open', () => {
    expect(levelSchema({ properties: { a: { type: ['object', 'null'] } } }, closed, 'x')).toEqual({
      schema: {
        properties: { a: { type: ['object', 'null'], additionalProperties: false } },
        additionalProperties: false,
      },
      warnings: [],
    });
    expect(levelSchema({ type: 'object', additionalProperties: false }, closed, 'x').warnings).toEqual([]);
    expect(levelSchema({ type: 'object', additionalProperties: true }, closed, 'x')).toEqual({
      schema: { type: 'object', additionalProperties: false, description: 'additionalProperties: true' },
      warnings: ['additionalProperties in x is only described to the model, not enforced'],
    });
  });
});
