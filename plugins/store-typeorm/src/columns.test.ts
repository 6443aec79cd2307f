import type { FieldType } from '@patchbay/core/plugin';
import { describe, expect, it } from 'vitest';
import { columnDefinition, decoder, encode } from './columns.ts';

const types: readonly FieldType[] = ['string', 'text', 'integer', 'boolean', 'time', 'json'];

describe('columns', () => {
  it('are what each database keeps best', () => {
    expect(types.map((type) => columnDefinition('sqlite', type).type)).toEqual([
      'text',
      'text',
      'integer',
      'boolean',
      'text',
      'text',
    ]);
    expect(types.map((type) => columnDefinition('postgres', type))).toEqual([
      { type: 'text', collation: 'C' },
      { type: 'text' },
      { type: 'bigint' },
      { type: 'boolean' },
      { type: 'timestamptz', precision: 3 },
      { type: 'json' },
    ]);
  });

  it('turn what the driver of PostgreSQL returns into values', () => {
    expect(decoder('postgres', 'integer')?.('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER);
    expect(decoder('postgres', 'integer?')?.(null)).toBeNull();
    expect(decoder('postgres', 'time?')?.(new Date(0))).toBe('1970-01-01T00:00:00.000Z');
    expect(decoder('postgres', 'time?')?.(null)).toBeNull();
    expect(decoder('postgres', 'json')).toBeUndefined();
  });

  it('take null only where the field may be null', () => {
    for (const type of types.filter((type) => type !== 'json')) {
      expect(() => encode('sqlite', 'x', type, null)).toThrow(`must be of type ${type}`);
    }
    expect(encode('sqlite', 'x', 'json', null)).toBe('null');
    expect(encode('sqlite', 'x', 'json?', null)).toBeNull();
    expect(encode('sqlite', 'x', 'integer?', null)).toBeNull();
  });

  it('name the field that has a wrong value', () => {
    expect(() => encode('postgres', 'durationMs', 'integer?', undefined)).toThrow(
      'the field durationMs must be of type integer?',
    );
    expect(() => encode('sqlite', 'logsTruncated', 'boolean', 1)).toThrow(
      'the field logsTruncated must be of type boolean',
    );
  });
});
