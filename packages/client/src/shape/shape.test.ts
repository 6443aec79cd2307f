import { describe, expect, it } from 'vitest';
import { toOutput } from './output.ts';
import { ShapeError } from './shape.ts';

const schemaOf = (shape: unknown) => toOutput(shape, 'f').schema;
const propertyOf = (shape: unknown) => (schemaOf({ x: shape })['properties'] as Record<string, unknown>)['x'];

describe('a shape becomes a JSON Schema', () => {
  it.each([
    ['a clear message', { type: 'string', description: 'a clear message' }],
    ['', { type: 'string' }],
    ['idea | mvp | scale up', { type: 'string', enum: ['idea', 'mvp', 'scale up'] }],
    ['App | API | Packaged Service', { type: 'string', enum: ['App', 'API', 'Packaged Service'] }],
    ['Use A | B notation to describe it', { type: 'string', description: 'Use A | B notation to describe it' }],
    ['good, bad | ugly', { type: 'string', description: 'good, bad | ugly' }],
    ['one |two', { type: 'string', description: 'one |two' }],
    ['score 0 to 100 (integer)', { type: 'integer', description: 'score 0 to 100' }],
    ['(number)', { type: 'number' }],
    ['is it? (boolean)', { type: 'boolean', description: 'is it?' }],
    ['due (date)', { type: 'string', format: 'date', description: 'due' }],
    ['sent (datetime)', { type: 'string', format: 'date-time', description: 'sent' }],
    ['Phone (number) (string)', { type: 'string', description: 'Phone (number)' }],
    ['(number) of things', { type: 'string', description: '(number) of things' }],
    [String, { type: 'string' }],
    [Number, { type: 'number' }],
    [Boolean, { type: 'boolean' }],
    [['top 3'], { type: 'array', items: { type: 'string', description: 'top 3' } }],
    [['a', 'b', 'etc.'], { type: 'array', items: { type: 'string' }, description: 'a; b; etc.' }],
    [['yes | no'], { type: 'array', items: { type: 'string', enum: ['yes', 'no'] } }],
    [
      { a: 'text', 'b?': Number },
      {
        type: 'object',
        properties: { a: { type: 'string', description: 'text' }, b: { type: 'number' } },
        required: ['a'],
        additionalProperties: false,
      },
    ],
  ])('%j', (shape, schema) => {
    expect(propertyOf(shape)).toEqual(schema);
  });

  it('a shape keeps a property that is called __proto__', () => {
    const schema = schemaOf(JSON.parse('{"__proto__": "text"}'));
    expect(Object.keys(schema['properties'] as object)).toEqual(['__proto__']);
  });

  it.each([
    [{ a: { b: [{ c: 5 }] } }, 'output shape at f.a.b[].c: 5 is not a shape; describe it, as in "how many (number)"'],
    [{ a: null }, /f\.a: null is not a shape/],
    [{ a: true }, /f\.a: true is not a shape/],
    [{ a: [] }, /f\.a: a list takes one shape, not 0/],
    [{ a: [{}, {}] }, /f\.a: a list takes one shape, not 2/],
    [{ a: Symbol('x') }, /f\.a: Symbol\(x\) is not a shape/],
    [['a'], /at f: the root must be an object/],
    ['text', /at f: the root must be an object/],
    [null, /at f: the root must be an object/],
  ])('refuses %o with its path', (shape, message) => {
    expect(() => toOutput(shape, 'f')).toThrow(ShapeError);
    expect(() => toOutput(shape, 'f')).toThrow(message);
  });
});

describe('a JSON Schema', () => {
  it('a JSON Schema is taken as it is, without $schema', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    expect(schemaOf({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema })).toEqual(schema);
    expect(schemaOf(schema)).toEqual(schema);
  });

  it('without an object at its root is wrapped, and its value is unwrapped', async () => {
    const output = toOutput({ type: 'array', items: { type: 'number' } }, 'f');
    expect(output.schema).toEqual({
      type: 'object',
      properties: { result: { type: 'array', items: { type: 'number' } } },
      required: ['result'],
      additionalProperties: false,
    });
    expect(await output.parse({ result: [1, 2] })).toEqual([1, 2]);
    expect(output.parsePartial(undefined)).toBeUndefined();
    expect(output.parsePartial({ result: [1] })).toEqual([1]);
  });

  it('differs from a shape with a field named type', () => {
    expect(schemaOf({ type: 'object', owner: 'who has it' })['properties']).toEqual({
      type: { type: 'string', description: 'object' },
      owner: { type: 'string', description: 'who has it' },
    });
  });
});
