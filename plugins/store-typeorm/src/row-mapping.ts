import { parseJson, type Row } from '@patchbay/core/storage';
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

/** Characters of a document that is parsed together with the rest of its row. */
const PARSED_AT_ONCE = 32_768;

/** The same for one row, whose large documents are parsed over several turns of the event loop. */
export function largeRowReader(
  dialect: Dialect,
  columns: readonly Column[],
): (values: readonly unknown[]) => Promise<object> {
  const read = rowReader(dialect, columns);
  const documents = columns.flatMap(({ field, type }, index) => (type.startsWith('json') ? [{ field, index }] : []));
  return async (values) => {
    const large = documents.filter(({ index }) => {
      const text = values[index];
      return typeof text === 'string' && text.length > PARSED_AT_ONCE;
    });
    if (large.length === 0) return read(values);
    const row = read(values.map((value, index) => (large.some((each) => each.index === index) ? 'null' : value)));
    for (const { field, index } of large) Object.assign(row, { [field]: await parseJson(values[index] as string) });
    return row;
  };
}
