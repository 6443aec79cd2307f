import { setImmediate } from 'node:timers/promises';
import { parseJson, type Row } from '@patchbay/core/storage';
import { type Bindable, type Dialect, decoder, encode } from './columns.ts';
import type { Reading } from './read-statements.ts';
import type { CollectionTable, Column } from './tables.ts';

/** The parameters of an insert: the row's fields in the order of the columns. */
export function rowParameters(dialect: Dialect, table: CollectionTable, row: Row): readonly Bindable[] {
  const values = row as unknown as Readonly<Record<string, unknown>>;
  return table.columns.map(({ field, type }) => encode(dialect, field, type, values[field]));
}

/** Makes a row of what a driver returns; a promise where it has large documents, which are parsed over several turns. */
export type RowReader = (values: readonly unknown[]) => object | Promise<object>;

/** Characters of a document that is parsed together with the rest of its row. */
const PARSED_AT_ONCE = 32_768;

/** Reads rows of these columns, in this order. */
export function rowReader(dialect: Dialect, columns: readonly Column[]): RowReader {
  const fields = columns.map(({ field }) => field);
  const decoders = columns.map(({ type }) => decoder(dialect, type));
  const documents = columns.flatMap(({ type }, index) => (type.startsWith('json') ? [index] : []));

  const read = (values: readonly unknown[]): object => {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < fields.length; index += 1) {
      const decode = decoders[index];
      row[fields[index] as string] = decode === undefined ? values[index] : decode(values[index]);
    }
    return row;
  };
  const readLarge = async (values: readonly unknown[], large: readonly number[]): Promise<object> => {
    const row = read(values.map((value, index) => (large.includes(index) ? 'null' : value)));
    for (const index of large) {
      Object.assign(row, { [fields[index] as string]: await parseJson(values[index] as string) });
    }
    return row;
  };
  return (values) => {
    const large = documents.filter((index) => {
      const text = values[index];
      return typeof text === 'string' && text.length > PARSED_AT_ONCE;
    });
    return large.length === 0 ? read(values) : readLarge(values, large);
  };
}

/** Characters of rows that are read in one turn of the event loop. */
const CHARACTERS_PER_TURN = 1_048_576;

/** All rows that a driver has returned, over several turns of the event loop where they are large. */
export async function readRows<R>({ read }: Reading<R>, found: readonly (readonly unknown[])[]): Promise<R[]> {
  const rows: R[] = [];
  let characters = 0;
  for (const values of found) {
    for (const value of values) if (typeof value === 'string') characters += value.length;
    if (characters > CHARACTERS_PER_TURN) {
      await setImmediate();
      characters = 0;
    }
    rows.push(await read(values));
  }
  return rows;
}
