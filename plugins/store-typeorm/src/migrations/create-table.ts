import type { FieldType } from '@patchbay/core/storage';
import { type QueryRunner, Table } from 'typeorm';
import { columnDefinition, type Dialect, isNullable } from '../columns.ts';

/** A table as a migration spells it out: what it was then, whatever the collections are now. */
export interface TableDefinition {
  readonly name: string;
  readonly primary: readonly string[];
  /** Big ones last: SQLite reads the others of a row without following the pages of these. */
  readonly columns: Readonly<Record<string, FieldType>>;
  /** Columns of each index; its name follows from them. */
  readonly indexes?: readonly (readonly string[])[];
  readonly unique?: readonly string[];
  readonly withoutRowid?: boolean;
}

export async function createTable(runner: QueryRunner, definition: TableDefinition): Promise<void> {
  const { name, primary, columns, indexes = [], unique = [], withoutRowid = false } = definition;
  const dialect = dialectOf(runner);
  await runner.createTable(
    new Table({
      name,
      withoutRowid: withoutRowid && dialect === 'sqlite',
      columns: Object.entries(columns).map(([column, type]) => ({
        ...columnDefinition(dialect, type),
        name: column,
        isPrimary: primary.includes(column),
        isNullable: isNullable(type),
      })),
      indices: indexes.map((columnNames) => ({
        name: ['ix', name, ...columnNames].join('_'),
        columnNames: [...columnNames],
      })),
      uniques: unique.map((column) => ({ name: `uq_${name}_${column}`, columnNames: [column] })),
    }),
  );
}

export function dialectOf(runner: QueryRunner): Dialect {
  return runner.dataSource.options.type === 'postgres' ? 'postgres' : 'sqlite';
}
