import { EntitySchema, type EntitySchemaColumnOptions, type Logger } from 'typeorm';
import { migrations } from './migrations/migrations.ts';
import { columnDefinition, type Dialect, isNullable } from './sql.ts';
import { type CollectionTable, countsTable, tables } from './tables.ts';

// TypeORM would print to the console what it also throws.
const silent: Logger = {
  logQuery() {},
  logQueryError() {},
  logQuerySlow() {},
  logSchemaBuild() {},
  logMigration() {},
  log() {},
};

/** The part of the options of a `DataSource` that every store shares. */
export function schemaOptions(dialect: Dialect) {
  return { entities: entities(dialect), migrations: [...migrations], synchronize: false, logger: silent };
}

/** The entities of every table. Their properties are the fields of the rows and `tenant`. */
function entities(dialect: Dialect): EntitySchema[] {
  return [...Object.values(tables).map((table) => entity(dialect, table)), counts(dialect)];
}

function entity(dialect: Dialect, table: CollectionTable): EntitySchema {
  const columns: Record<string, EntitySchemaColumnOptions> = {};
  const property = new Map([['tenant', 'tenant']]);
  for (const { field, name, type } of table.columns) {
    property.set(name, field);
    columns[field] = {
      ...columnDefinition(dialect, type),
      name,
      primary: field === 'id',
      nullable: isNullable(type),
    };
    if (field === 'id') columns['tenant'] = { ...columnDefinition(dialect, 'string') };
  }
  return new EntitySchema({
    name: table.name,
    tableName: table.name,
    columns,
    indices: table.indexes.map((index) => ({
      name: index.name,
      columns: index.columns.map((column) => property.get(column) ?? column),
      ...(index.where !== undefined && { where: index.where }),
    })),
    uniques: [...table.unique].map((field) => ({
      name: `uq_${table.name}_${table.column.get(field)?.name}`,
      columns: [field],
    })),
  });
}

function counts(dialect: Dialect): EntitySchema {
  const key = { ...columnDefinition(dialect, 'string'), primary: true };
  return new EntitySchema({
    name: countsTable,
    tableName: countsTable,
    withoutRowid: dialect === 'sqlite',
    columns: {
      tenant: key,
      collection: key,
      field: key,
      value: key,
      total: columnDefinition(dialect, 'integer'),
    },
  });
}
