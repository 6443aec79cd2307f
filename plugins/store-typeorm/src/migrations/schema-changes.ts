import type { FieldType } from '@patchbay/core/storage';
import { type MigrationInterface, type QueryRunner, Table, TableIndex } from 'typeorm';
import { columnDefinition, type Dialect, isNullable } from '../sql.ts';

/** A table as a migration spells it out: what it was then, whatever the collections are now. */
interface TableDefinition {
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

/** A migration as data. It takes these steps in this order, and undoes them in the opposite one. */
export interface SchemaChange {
  /** Columns that are added to tables. They must allow null, which is what existing rows get. */
  readonly columns?: Readonly<Record<string, Readonly<Record<string, FieldType>>>>;
  /** Indexes that are dropped before others are created. */
  readonly droppedIndexes?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** Indexes that are added to tables. */
  readonly indexes?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** Indexes that are added to tables, over the rows with a value in the first column. */
  readonly sparseIndexes?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** Indexes that are added to tables, over the rows whose first column is not the empty string. */
  readonly filledIndexes?: Readonly<Record<string, readonly (readonly string[])[]>>;
  readonly tables?: readonly TableDefinition[];
}

/** Changes existing rows, after columns are added to their tables and before indexes are. */
export interface RowChange {
  up(runner: QueryRunner): Promise<void>;
  down?(runner: QueryRunner): Promise<void>;
}

/** The class that TypeORM recognizes as a migration. */
export function migrationOf(
  name: string,
  {
    columns = {},
    droppedIndexes = {},
    indexes = {},
    sparseIndexes = {},
    filledIndexes = {},
    tables = [],
  }: SchemaChange,
  rows?: RowChange,
): new () => MigrationInterface {
  const dropped = indexesOf(droppedIndexes);
  const made = [
    ...indexesOf(indexes),
    ...indexesOf(sparseIndexes, 'IS NOT NULL'),
    ...indexesOf(filledIndexes, "<> ''"),
  ];
  return class {
    readonly name = name;

    async up(runner: QueryRunner): Promise<void> {
      for (const [table, added] of Object.entries(columns)) await addColumns(runner, table, added);
      await rows?.up(runner);
      for (const { table, index } of dropped) await runner.dropIndex(table, index.name);
      for (const { table, index } of made) await runner.createIndex(table, new TableIndex(index));
      for (const table of tables) await createTable(runner, table);
    }

    async down(runner: QueryRunner): Promise<void> {
      for (const table of tables.toReversed()) await runner.dropTable(table.name);
      for (const { table, index } of made) await runner.dropIndex(table, index.name);
      for (const { table, index } of dropped) await runner.createIndex(table, new TableIndex(index));
      await rows?.down?.(runner);
      for (const [table, added] of Object.entries(columns)) await runner.dropColumns(table, Object.keys(added));
    }
  };
}

const rowColumns = { id: 'string', tenant: 'string', revision: 'integer' } as const;

async function createTable(runner: QueryRunner, definition: TableDefinition): Promise<void> {
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
      indices: indexes.map((list) => indexOf(name, list)),
      uniques: unique.map((column) => ({ name: `uq_${name}_${column}`, columnNames: [column] })),
    }),
  );
}

/** @param condition What the first column of rows in them is. Default: they have all rows. */
function indexesOf(lists: Readonly<Record<string, readonly (readonly string[])[]>>, condition?: string) {
  return Object.entries(lists).flatMap(([table, indexes]) =>
    indexes.map((columns) => ({
      table,
      index: { ...indexOf(table, columns), ...(condition !== undefined && { where: `"${columns[0]}" ${condition}` }) },
    })),
  );
}

function indexOf(table: string, columns: readonly string[]) {
  return { name: ['ix', table, ...columns].join('_'), columnNames: [...columns] };
}

function dialectOf(runner: QueryRunner): Dialect {
  return runner.dataSource.options.type === 'postgres' ? 'postgres' : 'sqlite';
}

/** In plain SQL, because TypeORM copies the whole table on SQLite. */
async function addColumns(
  runner: QueryRunner,
  table: string,
  columns: Readonly<Record<string, FieldType>>,
): Promise<void> {
  for (const [name, type] of Object.entries(columns)) {
    const { type: sqlType, precision, collation } = columnDefinition(dialectOf(runner), type);
    const sized = precision === undefined ? sqlType : `${sqlType}(${precision})`;
    const collated = collation === undefined ? sized : `${sized} COLLATE "${collation}"`;
    await runner.query(`ALTER TABLE "${table}" ADD COLUMN "${name}" ${collated}`);
  }
}
