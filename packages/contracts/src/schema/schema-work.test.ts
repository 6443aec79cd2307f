import { describe, expect, it } from 'vitest';
import type { Schema } from '../json-schema.ts';
import { SchemaCache } from './schema-service.ts';

const schemaOf = (name: string, keywords: Schema = {}): string =>
  JSON.stringify({ type: 'object', properties: { [name]: { type: 'string', default: name, ...keywords } } });

describe('SchemaCache', () => {
  it('compiles equal schemas once, but separately for input and output', () => {
    const cache = new SchemaCache();
    expect(cache.get(schemaOf('a'), 'input')).toBe(cache.get(schemaOf('a'), 'input'));
    expect(cache.get(schemaOf('a'), 'output')).not.toBe(cache.get(schemaOf('a'), 'input'));
    const [input, output] = [{}, {}];
    cache.get(schemaOf('a'), 'input').validate(input, '');
    cache.get(schemaOf('a'), 'output').validate(output, '');
    expect([input, output]).toEqual([{ a: 'a' }, {}]);
  });

  it.each([
    ['long schemas', (name: string) => schemaOf(name, { description: 'x'.repeat(200) })],
    ['schemas with patterns', (name: string) => schemaOf(name, { pattern: `^${name}` })],
  ])('caches fewer %s', (_, large) => {
    const cache = new SchemaCache(45_000);
    const small = cache.get(schemaOf('a'), 'input');
    cache.get(schemaOf('b'), 'input');
    expect(cache.get(schemaOf('a'), 'input')).toBe(small);
    const kept = cache.get(large('c'), 'input');
    cache.get(large('d'), 'input');
    expect(cache.get(schemaOf('a'), 'input')).not.toBe(small);
    expect(cache.get(large('c'), 'input')).not.toBe(kept);
  });
});
