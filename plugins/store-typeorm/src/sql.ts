import type { TenantId } from '@patchbay/core/plugin';
import { type Collection, type FieldType, type Filter, jsonTextOf, parseJson, type Row } from '@patchbay/core/storage';
import type { ColumnType } from 'typeorm';
import type { CollectionTable, Column } from './tables.ts';

/** A statement of constant text: what a caller brings is in the parameters, never in the text. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly Bindable[];
  /** It returns at most one row, which drivers read for less. */
  readonly isSingle?: true;
}

/** Capability of storages whose commits run statements that another plugin brings. */
export const statementCapability = 'postgres-statement';

/** Whether the content of a write is a statement. Its text is constant; values are in the parameters. */
export function isStatement(content: unknown): content is Statement {
  const { sql, parameters } = (content ?? {}) as Partial<Record<keyof Statement, unknown>>;
  return typeof sql === 'string' && Array.isArray(parameters);
}

/** The result of a statement. `conflict`: a unique constraint rejected it, without effect. */
export interface StatementResult {
  readonly changes: number;
  readonly rows: readonly (readonly unknown[])[];
  readonly conflict: boolean;
}

/** The next placeholder of a statement that is being written. */
export type NextPlaceholder = () => string;

export function placeholders(dialect: Dialect): NextPlaceholder {
  let last = 0;
  return () => {
    last += 1;
    return dialect === 'postgres' ? `$${last}` : '?';
  };
}

/** A name within SQL text. Names come from the table of collections only. */
export function quote(name: string): string {
  return `"${name}"`;
}

/** The databases that the shared code supports. */
export type Dialect = 'sqlite' | 'postgres';

/** A parameter, as drivers take it. */
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

/** Turns the value of a field into a parameter; undefined where it is of another type. */
type Encoder = (value: unknown) => Bindable | undefined;

const encodeText: Encoder = (value) => (isString(value) ? value : undefined);

const sharedEncoders: Readonly<Record<Exclude<PlainType, 'time' | 'boolean'>, Encoder>> = {
  string: encodeText,
  text: encodeText,
  integer: (value) => (Number.isInteger(value) ? (value as number) : undefined),
  json: jsonTextOf,
};

const encoders: Readonly<Record<Dialect, Readonly<Record<PlainType, Encoder>>>> = {
  sqlite: {
    ...sharedEncoders,
    time: encodeText,
    boolean: (value) => (typeof value === 'boolean' ? Number(value) : undefined),
  },
  postgres: {
    ...sharedEncoders,
    // PostgreSQL accepts much more as a time, including `yesterday`.
    time: (value) => (isString(value) && time.test(value) ? value : undefined),
    boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  },
};

function encoder(dialect: Dialect, type: FieldType): Encoder {
  const encode = encoders[dialect][plain(type)];
  return isNullable(type) ? (value) => (value === null ? null : encode(value)) : encode;
}

/**
 * Turn the value of a field into a parameter. A value of another type is a bug of the calling code: databases with
 * loose types would store it, and others would not.
 */
export function encode(dialect: Dialect, field: string, type: FieldType, value: unknown): Bindable {
  return bound(field, type, value === undefined ? undefined : encoder(dialect, type)(value));
}

function bound(field: string, type: FieldType, parameter: Bindable | undefined): Bindable {
  if (parameter === undefined) throw new TypeError(`the field ${field} must be of type ${type}`);
  return parameter;
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

/**
 * Text in PostgreSQL cannot contain the character U+0000. It is written as two U+0001, and U+0001 itself as U+0001
 * U+0002: so strings stay distinct, keep their order, and nothing else is altered.
 */
export function escapeNul(text: string): string {
  // Hardly any text has one of the two.
  if (!text.includes('\0') && !text.includes('\x01')) return text;
  return text.replaceAll('\x01', '\x01\x02').replaceAll('\0', '\x01\x01');
}

function unescapeNul(text: string): string {
  return text.includes('\x01') ? text.replaceAll('\x01\x01', '\0').replaceAll('\x01\x02', '\x01') : text;
}

/** The time that PostgreSQL writes as `2026-02-28 12:00:00.12+00`. */
function readTimestamp(text: string): string {
  if (!text.endsWith('+00')) throw new Error('a session of PostgreSQL has a time zone other than UTC');
  const fraction = text.slice(20, -3);
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`;
}

/** The parameters of an insert: the tenant, and the fields of a row in the order of the columns. */
export type RowEncoder = (tenant: TenantId, row: Row) => readonly Bindable[];

export function rowEncoder(dialect: Dialect, columns: readonly Column[]): RowEncoder {
  const encoded = columns.map(({ field, type }) => ({ field, type, encode: encoder(dialect, type) }));
  return (tenant, row) => {
    const values = row as unknown as Readonly<Record<string, unknown>>;
    const parameters: Bindable[] = [tenant];
    for (const { field, type, encode } of encoded) parameters.push(bound(field, type, encode(values[field])));
    return parameters;
  };
}

/** Makes a row of what a driver returns; a promise where it has large documents, which are parsed over several turns. */
export type RowReader = (values: readonly unknown[]) => object | Promise<object>;

/** Characters of a document that is parsed together with the rest of its row. */
export const PARSED_AT_ONCE = 32_768;

/** Reads rows of these columns, in this order. */
export function rowReader(dialect: Dialect, columns: readonly Column[]): RowReader {
  const fields = columns.map(({ field }) => field);
  const decoders = columns.map(({ type }) => decoder(dialect, type));
  const documents = columns.flatMap(({ type }, index) => (type.startsWith('json') ? [index] : []));

  const read = rowMaker(fields, decoders);
  const readLarge = async (values: readonly unknown[], large: readonly number[]): Promise<object> => {
    const row = read(values.map((value, index) => (large.includes(index) ? 'null' : value)));
    for (const index of large) {
      Object.assign(row, { [fields[index] as string]: await parseJson(values[index] as string) });
    }
    return row;
  };
  if (documents.length === 0) return read;
  return (values) => {
    const large = documents.filter((index) => {
      const text = values[index];
      return typeof text === 'string' && text.length > PARSED_AT_ONCE;
    });
    return large.length === 0 ? read(values) : readLarge(values, large);
  };
}

/**
 * As code: a loop over fields is slow for every row, because each collection has different ones, and so are the rows it
 * makes.
 */
function rowMaker(
  fields: readonly string[],
  decoders: readonly ReturnType<typeof decoder>[],
): (values: readonly unknown[]) => object {
  const members = fields.map((field, index) => {
    const value = decoders[index] === undefined ? `values[${index}]` : `decoders[${index}](values[${index}])`;
    return `${JSON.stringify(field)}: ${value}`;
  });
  // oxlint-disable-next-line typescript/no-implied-eval -- the fields are those that collections declare
  return new Function('decoders', `return (values) => ({ ${members.join(', ')} });`)(decoders);
}

interface Condition {
  readonly column: Column;
  readonly value: unknown;
}

/**
 * The column of a field.
 *
 * @throws TypeError for a name that is not a field, so that no other name gets into the text of a statement.
 */
export function columnOf(table: CollectionTable, field: string): Column {
  const column = table.column.get(field);
  if (column === undefined) throw new TypeError(`${table.collection} has no field ${field}`);
  return column;
}

/** The conditions of a filter, in an order that does not depend on the caller's. */
export function conditions(table: CollectionTable, where: Filter<Collection>): readonly Condition[] {
  const found = Object.entries(where).map(([field, value]) => ({ column: columnOf(table, field), value }));
  return found.length > 1 ? found.sort((a, b) => (a.column.name < b.column.name ? -1 : 1)) : found;
}

/** The text of conditions depends on these only: the columns, and which of them are compared to null or must be filled. */
export function conditionsKey(list: readonly Condition[]): string {
  return list
    .map((each) => `${each.column.name}${each.value === null ? '=null' : isFilled(each) ? '=filled' : '='}`)
    .join();
}

const isFilled = ({ column, value }: Condition): boolean => column.isFilled && value !== '';

export function conditionsSql(list: readonly Condition[], next: NextPlaceholder): readonly string[] {
  // Not `IS NOT DISTINCT FROM`: PostgreSQL uses no index for it.
  return list.map((each) => {
    const name = quote(each.column.name);
    if (each.value === null) return `${name} IS NULL`;
    // Only a statement that says so can use an index of filled values: what a parameter is does not count.
    return `${name} = ${next()}${isFilled(each) ? ` AND ${name} <> ''` : ''}`;
  });
}

export function conditionsParameters(dialect: Dialect, list: readonly Condition[]): readonly Bindable[] {
  return list
    .filter(({ value }) => value !== null)
    .map(({ column, value }) => encode(dialect, column.field, column.type, value));
}
