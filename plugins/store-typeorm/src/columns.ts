import { type FieldType, jsonTextOf } from '@patchbay/core/storage';
import type { ColumnType } from 'typeorm';
import { unescapeNul } from './escape-nul.ts';
import { readTimestamp } from './read-timestamp.ts';

/** The databases that the shared code speaks. */
export type Dialect = 'sqlite' | 'postgres';

/** What a driver takes as a parameter. */
export type Bindable = string | number | boolean | null;

type PlainType = 'string' | 'text' | 'integer' | 'boolean' | 'time' | 'json';

interface ColumnDefinition {
  readonly type: Extract<ColumnType, string>;
  readonly precision?: number;
  readonly collation?: string;
}

// Strings compare by code point: SQLite does so by itself, PostgreSQL only under the collation "C".
// Times on SQLite are text of fixed width, whose order is the order of time.
// `json`, never `jsonb`: the latter sorts the keys of a document.
const definitions: Readonly<Record<Dialect, Readonly<Record<PlainType, ColumnDefinition>>>> = {
  sqlite: {
    string: { type: 'text' },
    text: { type: 'text' },
    integer: { type: 'integer' },
    boolean: { type: 'boolean' },
    time: { type: 'text' },
    json: { type: 'text' },
  },
  postgres: {
    string: { type: 'text', collation: 'C' },
    text: { type: 'text' },
    integer: { type: 'bigint' },
    boolean: { type: 'boolean' },
    time: { type: 'timestamptz', precision: 3 },
    json: { type: 'json' },
  },
};

/** Whether a field of this type may be null. */
export function isNullable(type: FieldType): boolean {
  return type.endsWith('?');
}

/** The column that keeps a field, in the words of TypeORM. */
export function columnDefinition(dialect: Dialect, type: FieldType): ColumnDefinition {
  return definitions[dialect][plain(type)];
}

const isString = (value: unknown): value is string => typeof value === 'string';

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const bind: Readonly<Record<PlainType, (value: unknown, dialect: Dialect) => Bindable | undefined>> = {
  string: (value) => (isString(value) ? value : undefined),
  text: (value) => (isString(value) ? value : undefined),
  // PostgreSQL takes much more for a time, `yesterday` among it.
  time: (value, dialect) => (isString(value) && (dialect === 'sqlite' || time.test(value)) ? value : undefined),
  integer: (value) => (Number.isInteger(value) ? (value as number) : undefined),
  boolean: (value, dialect) =>
    typeof value !== 'boolean' ? undefined : dialect === 'postgres' ? value : value ? 1 : 0,
  json: (value) => jsonTextOf(value),
};

/**
 * Turn the value of a field into a parameter. A value of another type is a fault of the calling code: databases with
 * loose types would keep it, and others not.
 */
export function encode(dialect: Dialect, field: string, type: FieldType, value: unknown): Bindable {
  if (value === null && isNullable(type)) return null;
  const bound = value === undefined ? undefined : bind[plain(type)](value, dialect);
  if (bound === undefined) throw new TypeError(`the field ${field} must be of type ${type}`);
  return bound;
}

/** How a value of a column becomes the value of a field; undefined where it already is one. */
export function decoder(dialect: Dialect, type: FieldType): ((value: unknown) => unknown) | undefined {
  const decode = decoders[dialect][plain(type)];
  if (decode === undefined || !isNullable(type)) return decode;
  return (value) => (value === null ? null : decode(value));
}

const decoders: Readonly<Record<Dialect, Partial<Record<PlainType, (value: unknown) => unknown>>>> = {
  sqlite: {
    boolean: (value) => value === 1,
    json: (value) => JSON.parse(value as string),
  },
  // Out of the text that the server sends, in sessions whose time zone is UTC.
  postgres: {
    string: (value) => unescapeNul(value as string),
    text: (value) => unescapeNul(value as string),
    integer: Number,
    boolean: (value) => value === 't',
    time: (value) => readTimestamp(value as string),
    json: (value) => JSON.parse(value as string),
  },
};

function plain(type: FieldType): PlainType {
  return (isNullable(type) ? type.slice(0, -1) : type) as PlainType;
}
