import type { FieldType } from '@patchbay/core/plugin';
import { type QueryRunner, TableColumn } from 'typeorm';
import { columnDefinition, isNullable } from '../columns.ts';
import { dialectOf } from './create-table.ts';

/** Add columns to a table that has rows already: they have to allow null, which is what those rows get. */
export async function addColumns(
  runner: QueryRunner,
  table: string,
  columns: Readonly<Record<string, FieldType>>,
): Promise<void> {
  const dialect = dialectOf(runner);
  const added = Object.entries(columns).map(
    ([name, type]) => new TableColumn({ ...columnDefinition(dialect, type), name, isNullable: isNullable(type) }),
  );
  await runner.addColumns(table, added);
}
