import { describe, expect, it } from 'vitest';
import { boundsOf, bytesText } from './bounds-text.ts';

describe('boundsOf', () => {
  it.each([
    [{}, ''],
    [{ minimum: 1, maximum: 100 }, '1 to 100.'],
    [{ minimum: 1 }, 'At least 1.'],
    [{ exclusiveMinimum: 0, maximum: 1 }, 'Above 0. At most 1.'],
    [{ minLength: 1, maxLength: 200 }, 'Not empty. At most 200 characters.'],
    [{ minLength: 2, maxLength: 9 }, '2 to 9 characters.'],
    [{ maxLength: 2_000 }, 'At most 2000 characters.'],
    [{ minItems: 1 }, 'Not empty.'],
    [{ minItems: 1, maxItems: 100 }, 'Not empty. At most 100 entries.'],
  ])('%j', (schema, text) => {
    expect(boundsOf(schema).join(' ')).toBe(text);
  });
});

describe('bytesText', () => {
  it.each([
    [1_048_576, '1 MiB'],
    [4_194_304, '4 MiB'],
    [1_024, '1 KiB'],
    [1_000, '1000 bytes'],
  ])('%i', (bytes, text) => {
    expect(bytesText(bytes)).toBe(text);
  });
});
