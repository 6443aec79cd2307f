import type { JsonValue, Schema } from '@patchbay/core/plugin';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultsOf } from '../fixtures/ajv-judge.ts';
import { anySchemas, json, satisfiableSchemas, texts } from '../fixtures/schema-arbitraries.ts';
import { fillSchema } from './fill-schema.ts';
import { fitsSchema } from './fits-schema.ts';
import { createMaterial } from './material.ts';

const fill = (schema: Schema, text: string) => fillSchema(schema, createMaterial(text));
const fillOne = (schema: Schema, text: string, name = 'value', required = [name]) =>
  fill({ type: 'object', properties: { [name]: schema }, required }, text)?.value as { [name: string]: JsonValue };
// Shrinking a schema takes minutes; run the seed without `endOnFailure` for it.
const runs = { numRuns: 400, seed: 20_261_121, endOnFailure: true };

describe('any schema', () => {
  it('that some value fits is filled, and another validator accepts the value', () => {
    fc.assert(
      fc.property(satisfiableSchemas, texts, (schema, text) => {
        const filling = fill(schema, text);
        expect(filling, 'a value is found').toBeDefined();
        expect(faultsOf(schema, filling?.value ?? null)).toEqual([]);
      }),
      runs,
    );
  });

  it('is filled validly or not at all, whatever its keywords ask for', () => {
    let count = 0;
    fc.assert(
      fc.property(anySchemas, texts, (schema, text) => {
        const filling = fill(schema, text);
        if (filling) count += 1;
        expect(filling ? faultsOf(schema, filling.value) : []).toEqual([]);
      }),
      runs,
    );
    expect(count).toBeGreaterThan(50);
  });

  it('is filled the same each time', () => {
    fc.assert(
      fc.property(satisfiableSchemas, texts, (schema, text) => {
        expect(fill(structuredClone(schema), text)).toEqual(fill(schema, text));
      }),
      { ...runs, numRuns: 100 },
    );
  });

  it('fits no value that another validator refuses', () => {
    let count = 0;
    fc.assert(
      fc.property(satisfiableSchemas, json, (schema, value) => {
        const fits = fitsSchema(schema, value);
        if (fits) count += 1;
        expect(fits ? faultsOf(schema, value) : []).toEqual([]);
      }),
      { ...runs, numRuns: 4_000 },
    );
    expect(count).toBeGreaterThan(20);
  });

  it('that contradicts itself is not filled', () => {
    const contradictions: Schema[] = [
      { type: 'integer', minimum: 2, maximum: 1 },
      { type: 'string', enum: [1, 2] },
      { type: 'string', pattern: '^a$', minLength: 2 },
      { type: 'string', pattern: '(?=a)a' },
      { type: 'object', properties: {}, required: ['a'], additionalProperties: false },
      { type: 'array', items: { type: 'string', const: 1 }, minItems: 1 },
    ];
    for (const schema of contradictions) expect(fill(schema, 'a 1 2'), JSON.stringify(schema)).toBeUndefined();
  });

  it('takes no time that grows with its alternatives', () => {
    let schema: Schema = { type: 'string', enum: [1] };
    for (let depth = 0; depth < 16; depth += 1) {
      const anyOf = Array.from({ length: 8 }, (): Schema => ({ type: 'object' }));
      schema = { type: 'object', properties: { a: schema }, required: ['a'], anyOf };
    }
    expect(fill(schema, 'a')).toBeUndefined();
  });
});

describe('a long text', () => {
  it('does not use up what a schema may cost', () => {
    const numbers = Array.from({ length: 20_000 }, (_, index) => `n${index} is ${index}.`).join(' ');
    const schema: Schema = {
      type: 'object',
      properties: {
        large: { type: 'integer', minimum: 1e9 },
        long: { type: 'string', minLength: 5_000 },
        code: { type: 'string', pattern: '^[a-z]{3}$' },
      },
      required: ['large', 'long', 'code'],
    };
    for (const text of [numbers, 'x'.repeat(200_000), '{'.repeat(200_000), '1.'.repeat(100_000)]) {
      const filling = fill(schema, text);
      expect(filling?.placeholders).toEqual(expect.arrayContaining(['/large', '/code']));
      expect(faultsOf(schema, filling?.value ?? null)).toEqual([]);
    }
  });
});

describe('a value', () => {
  it('is what the text says under its name', () => {
    const schema: Schema = { type: 'integer', minimum: 1 };
    for (const text of ['maxPoints: 7', 'of 3, max_points=7', '{"a": [{"maxPoints": 7}], "b": 9}', 'Max points = 7.']) {
      expect(fillOne(schema, text, 'maxPoints'), text).toEqual({ maxPoints: 7 });
    }
    expect(fillOne({ type: 'array', items: { type: 'string' } }, 'Tags: red, green and blue', 'tags')).toEqual({
      tags: ['red', 'green', 'blue'],
    });
    expect(fillOne({ type: 'boolean' }, 'verbose: no', 'verbose')).toEqual({ verbose: false });
    expect(fillOne({ type: 'number' }, 'Price: $1,299.50', 'price')).toEqual({ price: 1_299.5 });
  });

  it('is the default, where the text does not name it', () => {
    expect(fillOne({ type: 'integer', default: 5 }, 'there are 3 of them')).toEqual({ value: 5 });
  });

  it('is one of a list by the words of the text, else the first', () => {
    const schema: Schema = { enum: ['sports news', 'politics', 'world politics'] };
    expect(fillOne(schema, 'A vote changed politics.')).toEqual({ value: 'politics' });
    expect(fillOne(schema, 'Nothing of all that.')).toEqual({ value: 'sports news' });
    expect(fillOne(schema, 'In politics. value: sports news')).toEqual({ value: 'sports news' });
    expect(fillOne({ enum: [1, 2, 3] }, 'take 2')).toEqual({ value: 2 });
  });

  it('is a number that stands near its name, and each number is used once', () => {
    const number: Schema = { type: 'number' };
    const properties = { amount: number, account: number, days: number };
    const schema: Schema = { type: 'object', properties, required: ['amount', 'account', 'days'] };
    expect(fill(schema, 'Pay 250.75 to account 9912 on 2026-01-02 within 14 days')?.value).toEqual({
      amount: 250.75,
      account: 9_912,
      days: 14,
    });
  });

  it('is what has its format', () => {
    const text =
      'Mail ada@example.org, see https://example.org/a?b=c. At 2026-03-04T05:06:07Z from 10.0.0.7 or fe80::1, ' +
      'id 123e4567-e89b-12d3-a456-426614174000, host db.example.net, day 2026-02-30 or 2026-02-28, time 23:59:59+01:00.';
    const expected = {
      email: 'ada@example.org',
      uri: 'https://example.org/a?b=c',
      'date-time': '2026-03-04T05:06:07Z',
      ipv4: '10.0.0.7',
      ipv6: 'fe80::1',
      uuid: '123e4567-e89b-12d3-a456-426614174000',
      time: '23:59:59+01:00',
    };
    for (const [format, value] of Object.entries(expected)) {
      expect(fillOne({ type: 'string', format }, text), format).toEqual({ value });
    }
    expect(fillOne({ type: 'string', format: 'date' }, 'day 2026-02-30 or 2026-02-28')).toEqual({
      value: '2026-02-28',
    });
    expect(fillOne({ type: 'string', format: 'hostname' }, 'the host db.example.net')).toEqual({
      value: 'db.example.net',
    });
    expect(fillOne({ type: 'string', pattern: '^[A-Z]{2}-\\d+$' }, 'the order (PB-1042).')).toEqual({
      value: 'PB-1042',
    });
  });

  it('is the name, the quotation or the sentence that is nearest', () => {
    const text: Schema = { type: 'string' };
    expect(fillOne(text, 'What is the weather in New York today?', 'city')).toEqual({ city: 'New York' });
    expect(fillOne(text, 'Translate "good morning" please', 'phrase')).toEqual({ phrase: 'good morning' });
    expect(fillOne(text, 'It rains. The sky is grey. The mood is low.', 'sky')).toEqual({ sky: 'The sky is grey.' });
  });

  it('is cut at the end of a word', () => {
    const schema: Schema = { type: 'string', maxLength: 12 };
    expect(fillOne(schema, 'the quick brown fox jumps', 'summary')).toEqual({ summary: 'the quick' });
  });

  it('of a list is a sentence, a keyword, a number or what stands in one line', () => {
    const list = (items: Schema): Schema => ({ type: 'array', items });
    expect(fillOne(list({ type: 'integer' }), '3 eggs, 2.5 cups, 10 nuts')).toEqual({ value: [3, 10] });
    expect(fillOne(list({ type: 'string' }), 'Tea and tea. Milk, tea and milk.', 'keywords')).toEqual({
      keywords: ['tea', 'milk'],
    });
    expect(fillOne(list({ type: 'string' }), 'Points:\n- one is red\n- two is blue', 'points')).toEqual({
      points: ['one is red', 'two is blue'],
    });
    const properties: Schema['properties'] = { name: { type: 'string' }, age: { type: 'integer' } };
    const person: Schema = { type: 'object', properties, required: ['name', 'age'] };
    expect(fillOne(list(person), 'The people:\n- Ada Lovelace, age 36\n- Alan Turing, age 41')).toEqual({
      value: [
        { name: 'Ada Lovelace', age: 36 },
        { name: 'Alan Turing', age: 41 },
      ],
    });
  });

  it('that is not required is left out where nothing is found', () => {
    const count: Schema = { type: 'integer' };
    expect(fillOne(count, 'no such thing', 'count', [])).toEqual({});
    expect(fillOne(count, '3 such things', 'count', [])).toEqual({ count: 3 });
  });

  it('that is required and not found says what it is, and where it stands', () => {
    const schema: Schema = {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Name of the place' },
        inner: { type: 'object', properties: { 'a/b': { type: 'integer', minimum: 4 } }, required: ['a/b'] },
        maybe: { type: ['string', 'null'], minLength: 500 },
      },
      required: ['name', 'inner', 'maybe'],
    };
    expect(fill(schema, '')).toEqual({
      value: { name: '[demo: Name of the place]', inner: { 'a/b': 4 }, maybe: null },
      found: false,
      placeholders: ['/name', '/inner/a~1b'],
    });
  });
});
