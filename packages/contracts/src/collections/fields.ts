/**
 * How a field is stored.
 *
 * - `string`: up to 255 characters, may be filtered and sorted by; compared by code point
 * - `text`: any length, up to 8 MiB
 * - `integer`: within ±2^53
 * - `boolean`
 * - `time`: `YYYY-MM-DDTHH:mm:ss.sssZ`, always UTC and three decimals
 * - `json`: a JSON document that comes back with its keys in the same order
 *
 * A `?` allows null.
 */
export type FieldType =
  | 'string'
  | 'text'
  | 'integer'
  | 'boolean'
  | 'time'
  | 'json'
  | 'string?'
  | 'integer?'
  | 'time?'
  | 'json?';

export type Fields = Readonly<Record<string, FieldType>>;

declare const value: unique symbol;

/** Narrows the values of a field beyond its stored type. It does not exist at run time. */
export interface Holds<T> {
  readonly [value]: T;
}

/** A field with JSON documents of one type. */
export const json = <T>() => 'json' as 'json' & Holds<T>;

export const jsonOrNull = <T>() => 'json?' as 'json?' & Holds<T | null>;

/** A field with an enumeration of strings. */
export const oneOf = <const T extends readonly string[]>(_values: T) => 'string' as 'string' & Holds<T[number]>;

export const oneOfOrNull = <const T extends readonly string[]>(_values: T) =>
  'string?' as 'string?' & Holds<T[number] | null>;

interface Plain {
  readonly string: string;
  readonly text: string;
  readonly time: string;
  readonly integer: number;
  readonly boolean: boolean;
}

/** The values of one field. */
export type FieldValue<F> =
  F extends Holds<infer T>
    ? T
    : F extends keyof Plain
      ? Plain[F]
      : F extends `${infer P extends keyof Plain}?`
        ? Plain[P] | null
        : unknown;

/** The rows of a collection, derived from its fields. */
export type RowOf<F extends Fields> = { readonly [N in keyof F]: FieldValue<F[N]> };

/** The fields of every row. */
export const rowFields = {
  id: 'string',
  /** 1 at insertion, incremented by each update. Guards against lost updates. */
  revision: 'integer',
} as const satisfies Fields;

/** The members of every stored row. */
export type Row = RowOf<typeof rowFields>;

/** Everything that a storage needs to know about a collection. */
export interface CollectionDescriptor<F extends Fields = Fields> {
  readonly fields: F;
  /** Fields that `list` can sort by. Ties are always broken by `id`, in the same direction. */
  readonly sort: readonly (keyof F & string)[];
  /** Fields that `list` and `deleteWhere` can filter by, for equality. Index them. */
  readonly filter: readonly (keyof F & string)[];
  /**
   * Filters that `list` also combines, where rows that match both of two frequent values may be rare. Index them
   * together.
   */
  readonly combined?: readonly (readonly (keyof F & string)[])[];
  /** Fields with unique values, over all tenants. */
  readonly unique: readonly (keyof F & string)[];
  /**
   * The fields that `scanAllTenants` filters by, in combination, and sorts by. Index them together; if `heads` are
   * requested, also with the tenant before the sort field.
   */
  readonly scan?: {
    readonly where: readonly (keyof F & string)[];
    readonly sort: keyof F & string;
    readonly heads?: boolean;
  };
}
