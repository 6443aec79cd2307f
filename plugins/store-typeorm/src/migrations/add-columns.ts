import type { FieldType } from '@patchbay/core/storage';
import type { QueryRunner } from 'typeorm';
import { columnDefinition } from '../columns.ts';
import { dialectOf } from './create-table.ts';

/**
 * Add columns to a table that has rows already: they have to allow null, which is what those rows get. In plain SQL,
 * because TypeORM copies the whole table on SQLite.
 */
export async function addColumns(
  runner: QueryRunner,
  table: string,
  columns: Readonly<Record<string, Extract<FieldType, `${string}?`>>>,
): Promise<void> {
  for (const [name, type] of Object.entries(columns)) {
    const { type: sqlType, precision, collation } = columnDefinition(dialectOf(runner), type);
    const sized = precision === undefined ? sqlType : `${sqlType}(${precision})`;
    const collated = collation === undefined ? sized : `${sized} COLLATE "${collation}"`;
    await runner.query(`ALTER TABLE "${table}" ADD COLUMN "${name}" ${collated}`);
  }
}
