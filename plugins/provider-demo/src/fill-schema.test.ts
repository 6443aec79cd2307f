import type { JsonValue, Schema } from '@patchbay/core/plugin';
import { Ajv } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillSchema } from './fill-schema.ts';
import { createMaterial } from './material.ts';

const fill = (schema: Schema, text: string) => fillSchema(schema, createMaterial(text));
const objectOf = (properties: Record<string, Schema>): Schema => {
  return { type: 'object', properties, required: Object.keys(properties) };
};

/** The faults that an independent validator finds. */
function faultsOf(schema: Schema, value: JsonValue): readonly string[] {
  const ajv = new Ajv({ strict: false, validateSchema: false, ownProperties: true, formats: fullFormats });
  const validate = ajv.compile(schema);
  return validate(value) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}

describe('a schema', () => {
  const name = fc.constantFrom('city', 'maxPoints', 'tags', 'hasOwnProperty', 'a/b~c', 'summary', '');
  const format = fc.constantFrom('date-time', 'date', 'time', 'email', 'uri', 'uuid', 'hostname', 'ipv4', 'ipv6');
  const { schema: schemas } = fc.letrec<{ schema: Schema }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.nat(40).map((length): Schema => ({ type: 'string', minLength: length, maxLength: length + 5 })),
      format.map((each): Schema => ({ type: 'string', format: each })),
      fc.integer().map((low): Schema => ({ type: ['integer', 'null'], minimum: low, maximum: low + 9, multipleOf: 7 })),
      fc
        .double({ noNaN: true, min: -1e12, max: 1e12 })
        .map((low): Schema => ({ type: 'number', exclusiveMinimum: low })),
      fc.array(fc.oneof(fc.string(), fc.integer()), { minLength: 1 }).map((values): Schema => ({ enum: values })),
      fc.constantFrom<Schema>({ type: 'boolean' }, { type: 'null' }, {}, { const: { a: [1] } }),
      fc.tuple(tie('schema'), fc.nat(6)).map(([items, minItems]): Schema => ({ type: 'array', items, minItems })),
      fc.tuple(fc.dictionary(name, tie('schema')), name).map(([properties, other]): Schema => {
        return { type: 'object', properties, required: [...Object.keys(properties).slice(1), other] };
      }),
      fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf): Schema => ({ anyOf })),
    ),
  }));
  const texts = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc.constant('{"maxPoints": 7, "tags": ["a", "b"], "city": {"name": "Rome"}} for 12.5 on 2026-12-24. City: Berlin.'),
  );

  it('a schema is filled with a value that an independent validator accepts, the same each time', () => {
    const property = fc.property(schemas, texts, (schema, text) => {
      const filling = fill(schema, text);
      expect(filling && faultsOf(schema, filling.value)).toEqual([]);
      expect(fill(structuredClone(schema), text)).toEqual(filling);
    });
    fc.assert(property, { numRuns: 400, seed: 20_261_121, endOnFailure: true });
  });

  it.each<Schema>([
    { type: 'integer', minimum: 2, maximum: 1 },
    { type: 'string', enum: [1, 2] },
    { type: 'string', pattern: '^b$' },
    { type: 'string', pattern: '(?=a)a' },
    { type: 'string', maxLength: 3, anyOf: [{ minLength: 5 }] },
    { ...objectOf({}), required: ['a'], additionalProperties: false },
    { type: 'array', items: { type: 'string', const: 1 }, minItems: 1 },
  ])('%j is not filled: it contradicts itself, or the text lacks the pattern', (schema) => {
    expect(fill(schema, 'a 1 2')).toBeUndefined();
  });

  it('a schema with too many combinations of alternatives is refused', () => {
    let schema: Schema = { type: 'string', enum: [1] };
    for (let depth = 0; depth < 16; depth += 1) {
      schema = { ...objectOf({ a: schema }), anyOf: Array.from({ length: 8 }, (): Schema => ({ type: 'object' })) };
    }
    expect(fill(schema, 'a')).toBeUndefined();
  });

  it.each(['x', '{', '1.', 'a: '])('takes values from %j, repeated up to the context window', (text) => {
    const schema = objectOf({ large: { type: 'integer', minimum: 1e9 }, long: { type: 'string', minLength: 5_000 } });
    expect(faultsOf(schema, fill(schema, text.repeat(60_000 / text.length))?.value ?? null)).toEqual([]);
  });
});

describe('a value', () => {
  const mail = 'Mail (ada@example.org), see https://example.org/a?b=c on 2026-02-30 or 2026-02-28.';
  const news: Schema = { enum: ['sports news', 'politics', 'world politics'] };
  const list = (items: Schema): Schema => ({ type: 'array', items });

  it.each<readonly [text: string, name: string, schema: Schema, value: JsonValue]>([
    ['verbose: no, max_points=7', 'maxPoints', { type: 'integer' }, 7],
    ['{"a": [{"maxPoints": 7}], "b": 9}', 'maxPoints', { type: 'integer' }, 7],
    ['Price: $1,299.50', 'price', { type: 'number' }, 1_299.5],
    ['Tags: red, green and blue', 'tags', list({ type: 'string' }), ['red', 'green', 'blue']],
    ['there are 3 of them', 'count', { type: 'integer', default: 5 }, 5],
    ['A vote changed politics.', 'subject', news, 'politics'],
    ['None of these.', 'subject', news, 'sports news'],
    [mail, 'link', { type: 'string', format: 'uri' }, 'https://example.org/a?b=c'],
    [mail, 'date', { type: 'string' }, '2026-02-28'],
    ['the order (PB-1042).', 'order', { type: 'string', pattern: '^[A-Z]{2}-\\d+$' }, 'PB-1042'],
    ['What is the weather in New York today?', 'city', { type: 'string' }, 'New York'],
    ['the quick brown fox', 'summary', { type: 'string', maxLength: 12 }, 'the quick'],
    ['3 eggs, 2.5 cups, 10 nuts', 'counts', list({ type: 'integer' }), [3, 10]],
    ['Tea and tea. Milk and tea.', 'keywords', list({ type: 'string' }), ['tea', 'milk']],
    ['Points:\n- one is red\n- two is blue', 'points', list({ type: 'string' }), ['one is red', 'two is blue']],
  ])('a value of %j is found under %s', (text, name, schema, value) => {
    expect(fill(objectOf({ [name]: schema }), text)?.value).toEqual({ [name]: value });
  });

  it('a value that is a number is used once, and each object of an array takes one sentence', () => {
    const number: Schema = { type: 'number' };
    const payment = fill(objectOf({ account: number, sum: number }), 'From account 9912 pay the sum of 250.75');
    expect(payment?.value).toEqual({ account: 9_912, sum: 250.75 });
    const people = fill(list(objectOf({ name: { type: 'string' } })), 'Ages:\n- Ada Lovelace: 36\n- Alan Turing: 41');
    expect(people?.value).toEqual([{ name: 'Ada Lovelace' }, { name: 'Alan Turing' }]);
  });

  it('a value that is not found is left out, or where it is required, a placeholder reported with its pointer', () => {
    const place: Schema = { type: 'string', description: 'Name of the place' };
    const inner = objectOf({ 'a/b': { type: 'integer', minimum: 4 } });
    const schema = { ...objectOf({ place, inner, more: { type: 'integer' } }), required: ['place', 'inner'] };
    expect(fill(schema, '')).toEqual({
      value: { place: '[demo: Name of the place]', inner: { 'a/b': 4 } },
      found: false,
      placeholders: ['/place', '/inner/a~1b'],
    });
  });
});
