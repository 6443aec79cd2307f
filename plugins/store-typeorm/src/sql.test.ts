import type { FieldType } from '@patchbay/core/storage';
import { describe, expect, it } from 'vitest';
import { columnDefinition, decoder, encode, escapeNul } from './sql.ts';

const types: readonly FieldType[] = ['string', 'text', 'integer', 'boolean', 'time', 'json'];

describe('columns', () => {
  it('columns are what each database keeps best', () => {
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

  it('columns turn what the driver of PostgreSQL returns into values', () => {
    expect(decoder('postgres', 'integer')?.('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER);
    expect(decoder('postgres', 'integer?')?.(null)).toBeNull();
    expect(decoder('postgres', 'boolean')?.('t')).toBe(true);
    expect(decoder('postgres', 'boolean')?.('f')).toBe(false);
    expect(decoder('postgres', 'time?')?.('1970-01-01 00:00:00+00')).toBe('1970-01-01T00:00:00.000Z');
    expect(decoder('postgres', 'time')?.('2026-02-28 12:00:00.12+00')).toBe('2026-02-28T12:00:00.120Z');
    expect(() => decoder('postgres', 'time')?.('2026-02-28 12:00:00+01')).toThrow('time zone');
    expect(decoder('postgres', 'time?')?.(null)).toBeNull();
    expect(decoder('postgres', 'json')?.('{"b":1,"a":"\\u0000"}')).toEqual({ b: 1, a: '\0' });
    expect(decoder('postgres', 'json?')?.(null)).toBeNull();
  });

  it('columns keep characters that PostgreSQL has no text for, and their order', () => {
    const texts = [
      '',
      '\0',
      '\0\0',
      '\0\x01',
      '\0a',
      '\x01',
      '\x01\0',
      '\x01\x01',
      '\x01\x02',
      '\x02',
      'a',
      'a\0',
      'a\x02',
    ];
    const kept = texts.map(escapeNul);
    expect(kept.join('')).not.toContain('\0');
    expect([...kept].sort()).toEqual(kept);
    expect(kept.map((text) => decoder('postgres', 'string')?.(text))).toEqual(texts);
  });

  it('columns take null only where the field may be null', () => {
    for (const type of types.filter((type) => type !== 'json')) {
      expect(() => encode('sqlite', 'x', type, null)).toThrow(`must be of type ${type}`);
    }
    expect(encode('sqlite', 'x', 'json', null)).toBe('null');
    expect(encode('sqlite', 'x', 'json?', null)).toBeNull();
    expect(encode('sqlite', 'x', 'integer?', null)).toBeNull();
  });

  it('columns name the field that has a wrong value', () => {
    expect(() => encode('postgres', 'durationMs', 'integer?', undefined)).toThrow(
      'the field durationMs must be of type integer?',
    );
    expect(() => encode('sqlite', 'logsTruncated', 'boolean', 1)).toThrow(
      'the field logsTruncated must be of type boolean',
    );
  });
});
