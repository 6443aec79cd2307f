import type { TenantId } from '@patchbay/core/plugin';
import type { CapabilityWrite, Collection } from '@patchbay/core/storage';
import type { EncodedWrite } from './encode-writes.ts';
import {
  type Bindable,
  columnOf,
  conditionsKey,
  conditionsSql,
  type Dialect,
  decoder,
  isStatement,
  type NextPlaceholder,
  placeholders,
  quote,
  type Statement,
} from './sql.ts';
import { type CollectionTable, countsTable, tables } from './tables.ts';

/** The changes of `Storage` as statements. Their text is written once per shape of change and then reused. */
export class WriteStatements {
  readonly #dialect: Dialect;
  readonly #texts = new Map<string, string>();
  readonly #insertions = new Map<Collection, string>();

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /**
   * Returns the statement that a write of the capability `postgres-statement` carries.
   *
   * @throws TypeError for content that is not a statement.
   */
  given({ capability, content }: CapabilityWrite): Statement {
    if (!isStatement(content)) throw new TypeError(`a write of ${capability} has no sql or no parameters`);
    return content;
  }

  /** Changes no row if the id or a unique field is taken. */
  insert({ insert: collection, parameters }: Extract<EncodedWrite, { insert: unknown }>): Statement {
    let sql = this.#insertions.get(collection);
    if (sql === undefined) {
      sql = insertionOf(this.#dialect, tables[collection]);
      this.#insertions.set(collection, sql);
    }
    return { sql, parameters };
  }

  update(
    tenant: TenantId,
    { update: collection, id, fields, values, ifRevision }: Extract<EncodedWrite, { update: unknown }>,
  ): Statement {
    const table = tables[collection];
    const guarded = ifRevision !== undefined;
    return {
      sql: this.#text(`update ${collection} ${guarded} ${fields.join()}`, (next) => {
        const assignments = fields.map((field) => `${quote(columnOf(table, field).name)} = ${next()}`);
        return (
          `UPDATE ${quote(table.name)} SET ${[...assignments, '"revision" = "revision" + 1'].join(', ')} ` +
          `WHERE ${one(next, guarded)}`
        );
      }),
      parameters: [...values, ...oneParameters(tenant, id, ifRevision)],
    };
  }

  /** Returns the counted fields of the deleted row. */
  delete(tenant: TenantId, collection: Collection, id: string, ifRevision?: number): Statement {
    const table = tables[collection];
    const guarded = ifRevision !== undefined;
    return {
      sql: this.#text(
        `delete ${collection} ${guarded}`,
        (next) => `DELETE FROM ${quote(table.name)} WHERE ${one(next, guarded)}${returning(table)}`,
      ),
      parameters: oneParameters(tenant, id, ifRevision),
    };
  }

  /** Returns the counted fields of each deleted row, unless the filter already contains them. */
  deleteWhere(
    tenant: TenantId,
    { deleteWhere: collection, fields, values }: Extract<EncodedWrite, { deleteWhere: unknown }>,
  ): Statement {
    const table = tables[collection];
    const filter = fields.map((field, index) => ({ column: columnOf(table, field), value: values[index] }));
    return {
      sql: this.#text(`deleteWhere ${collection} ${conditionsKey(filter)}`, (next) => {
        const all = [`"tenant" = ${next()}`, ...conditionsSql(filter, next)];
        const known = table.counted.every((field) => fields.includes(field));
        return `DELETE FROM ${quote(table.name)} WHERE ${all.join(' AND ')}${known ? '' : returning(table)}`;
      }),
      parameters: [tenant, ...values.filter((value) => value !== null)],
    };
  }

  /** The revision of a row and then its counted fields; locked against other writers where there can be any. */
  current(tenant: TenantId, collection: Collection, id: string): Statement {
    const table = tables[collection];
    return {
      sql: this.#text(`current ${collection}`, (next) => {
        const names = ['revision', ...countedColumns(table)].map(quote).join(', ');
        const lock = this.#dialect === 'postgres' ? ' FOR UPDATE' : '';
        return `SELECT ${names} FROM ${quote(table.name)} WHERE ${one(next, false)}${lock}`;
      }),
      parameters: oneParameters(tenant, id),
    };
  }

  /** The counted fields, from what a statement above returned for a row. */
  readCounted(collection: Collection, values: readonly unknown[]): readonly unknown[] {
    const { counted, column } = tables[collection];
    return counted.map((field, index) => {
      const decode = decoder(this.#dialect, column.get(field)?.type ?? 'string');
      return decode === undefined ? values[index] : decode(values[index]);
    });
  }

  addToCounter(tenant: string, collection: string, field: string, value: string, change: number): Statement {
    const table = quote(countsTable);
    return {
      sql: this.#text(
        'add',
        (next) =>
          `INSERT INTO ${table} ("tenant", "collection", "field", "value", "total") ` +
          `VALUES (${next()}, ${next()}, ${next()}, ${next()}, ${next()}) ` +
          'ON CONFLICT ("tenant", "collection", "field", "value") ' +
          `DO UPDATE SET "total" = ${table}."total" + excluded."total"`,
      ),
      parameters: [tenant, collection, field, value, change],
    };
  }

  removeEmptyCounter(tenant: string, collection: string, field: string, value: string): Statement {
    return {
      sql: this.#text('removeEmpty', (next) => {
        const key = ['tenant', 'collection', 'field', 'value'].map((name) => `${quote(name)} = ${next()}`);
        return `DELETE FROM ${quote(countsTable)} WHERE ${key.join(' AND ')} AND "total" = 0`;
      }),
      parameters: [tenant, collection, field, value],
    };
  }

  #text(key: string, write: (next: NextPlaceholder) => string): string {
    let text = this.#texts.get(key);
    if (text === undefined) {
      text = write(placeholders(this.#dialect));
      this.#texts.set(key, text);
    }
    return text;
  }
}

function insertionOf(dialect: Dialect, { name, columns }: CollectionTable): string {
  const next = placeholders(dialect);
  const names = ['tenant', ...columns.map((column) => column.name)];
  const values = names.map(() => next());
  return (
    `INSERT INTO ${quote(name)} (${names.map(quote).join(', ')}) VALUES (${values.join(', ')}) ` +
    'ON CONFLICT DO NOTHING'
  );
}

function one(next: NextPlaceholder, guarded: boolean): string {
  return `"id" = ${next()} AND "tenant" = ${next()}${guarded ? ` AND "revision" = ${next()}` : ''}`;
}

function oneParameters(tenant: TenantId, id: string, ifRevision?: number): readonly Bindable[] {
  return ifRevision === undefined ? [id, tenant] : [id, tenant, ifRevision];
}

function countedColumns(table: CollectionTable): readonly string[] {
  return table.counted.map((field) => table.column.get(field)?.name ?? field);
}

function returning(table: CollectionTable): string {
  return table.counted.length === 0 ? '' : ` RETURNING ${countedColumns(table).map(quote).join(', ')}`;
}
