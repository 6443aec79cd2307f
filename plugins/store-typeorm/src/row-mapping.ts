import type { Row } from '@patchbay/core/plugin';
import { type Bindable, type Dialect, decoder, encode } from './columns.ts';
import type { CollectionTable, Column } from './tables.ts';

/** The parameters of an insert: the row's fields in the order of the columns. */
export function rowParameters(dialect: Dialect, table: CollectionTable, row: Row): readonly Bindable[] {
  const values = row as unknown as Readonly<Record<string, unknown>>;
  return table.columns.map(({ field, type }) => encode(dialect, field, type, values[field]));
}

/** Makes rows out of what a driver returns for these columns, in this order. */
export function rowReader(dialect: Dialect, columns: readonly Column[]): (values: readonly unknown[]) => object {
  const fields = columns.map(({ field }) => field);
  const decoders = columns.map(({ type }) => decoder(dialect, type));
  return (values) => {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < fields.length; index += 1) {
      const decode = decoders[index];
      row[fields[index] as string] = decode === undefined ? values[index] : decode(values[index]);
    }
    return row;
  };
}
