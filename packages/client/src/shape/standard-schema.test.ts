import { Type } from '@sinclair/typebox';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { OutputInvalidError } from '../errors.ts';
import { toOutput } from './output.ts';

const libraries = [
  ['zod', z.object({ title: z.string().min(1), year: z.int() })],
  [
    'Valibot',
    toStandardJsonSchema(
      v.object({ title: v.pipe(v.string(), v.minLength(1)), year: v.pipe(v.number(), v.integer()) }),
    ),
  ],
  ['ArkType', type({ title: 'string >= 1', year: 'number.integer' })],
] as const;

describe.each(libraries)('a schema of %s', (_name, schema) => {
  it('a Standard Schema is sent as JSON Schema', () => {
    const output = toOutput(schema, 'f');
    expect(output.schema).toMatchObject({
      type: 'object',
      properties: { title: { type: 'string', minLength: 1 }, year: { type: 'integer' } },
      required: expect.arrayContaining(['title', 'year']),
    });
    expect(output.schema).not.toHaveProperty('$schema');
  });

  it('accepts what fits, and reports what does not', async () => {
    const output = toOutput(schema, 'f');
    expect(await output.parse({ title: 'a', year: 1 })).toEqual({ title: 'a', year: 1 });
    const error = await output.parse({ title: 'a', year: 'x' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OutputInvalidError);
    expect(error).toMatchObject({ name: 'OutputInvalidError', value: { title: 'a', year: 'x' } });
    expect((error as Error).message).toMatch(/^the output does not fit: year: /);
  });
});

describe('a Standard Schema', () => {
  it('describes its input, and returns its output', async () => {
    const schema = z.object({
      at: z.string().transform((text) => new Date(text)),
      tags: z.array(z.string()).default([]),
    });
    const output = toOutput(schema, 'f');
    expect(output.schema).toMatchObject({ properties: { at: { type: 'string' } }, required: ['at'] });
    expect(await output.parse({ at: '2026-01-02' })).toEqual({ at: new Date('2026-01-02'), tags: [] });
  });

  it('a Standard Schema is wrapped if its root is not an object', async () => {
    const output = toOutput(z.array(z.number()), 'f');
    expect(output.schema).toMatchObject({ type: 'object', properties: { result: { type: 'array' } } });
    expect(await output.parse({ result: [1] })).toEqual([1]);
    await expect(output.parse({})).rejects.toThrow(OutputInvalidError);
  });

  it('without a JSON Schema is refused, with advice on what to do', () => {
    const bare = v.object({ a: v.string() });
    expect(() => toOutput(bare, 'f')).toThrow(/at f: this schema of valibot has no JSON Schema; zod 4\.2, /);
  });

  it('from TypeBox is a JSON Schema', () => {
    expect(toOutput(Type.Object({ a: Type.Optional(Type.Number()) }), 'f').schema).toMatchObject({
      type: 'object',
      properties: { a: { type: 'number' } },
    });
  });
});
