import type { FieldType } from '@patchbay/core/storage';
import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { columnDefinition, type Dialect, isNullable } from '../sql.ts';

/** A table as a migration spells it out: what it was then, whatever the collections are now. */
export interface TableDefinition {
  readonly name: string;
  /** Default: a table of rows, which begin with `id`, their primary key, `tenant` and `revision`. */
  readonly primary?: readonly string[];
  /** Big ones last: SQLite reads the others of a row without following the pages of these. */
  readonly columns: Readonly<Record<string, FieldType>>;
  /** Columns of each index; its name follows from them. */
  readonly indexes?: readonly (readonly string[])[];
  readonly unique?: readonly string[];
  readonly withoutRowid?: boolean;
}

const rowColumns = { id: 'string', tenant: 'string', revision: 'integer' } as const;

/** A migration that creates tables and changes no other. */
export abstract class TablesMigration implements MigrationInterface {
  abstract readonly name: string;
  abstract readonly tables: readonly TableDefinition[];

  async up(runner: QueryRunner): Promise<void> {
    for (const table of this.tables) await createTable(runner, table);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const { name } of this.tables.toReversed()) await runner.dropTable(name);
  }
}

export async function createTable(runner: QueryRunner, definition: TableDefinition): Promise<void> {
  const { name, primary, indexes = [], unique = [], withoutRowid = false } = definition;
  const columns = primary === undefined ? { ...rowColumns, ...definition.columns } : definition.columns;
  const dialect = dialectOf(runner);
  await runner.createTable(
    new Table({
      name,
      withoutRowid: withoutRowid && dialect === 'sqlite',
      columns: Object.entries(columns).map(([column, type]) => ({
        ...columnDefinition(dialect, type),
        name: column,
        isPrimary: (primary ?? ['id']).includes(column),
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

function dialectOf(runner: QueryRunner): Dialect {
  return runner.dataSource.options.type === 'postgres' ? 'postgres' : 'sqlite';
}

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
