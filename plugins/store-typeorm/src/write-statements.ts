import type { TenantId } from '@patchbay/core/plugin';
import { type CapabilityWrite, type Collection, storageArguments, type Write } from '@patchbay/core/storage';
import {
  type Bindable,
  columnOf,
  conditions,
  conditionsKey,
  conditionsSql,
  type Dialect,
  decoder,
  encode,
  isStatement,
  type NextPlaceholder,
  placeholders,
  quote,
  type RowEncoder,
  rowEncoder,
  type Statement,
  statementCapability,
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

/** A write whose values are parameters of statements: plain data that can be handed to a thread. */
export type EncodedWrite =
  | CapabilityWrite
  | {
      readonly insert: Collection;
      readonly id: string;
      /** The tenant, and the fields in the order of the columns. */
      readonly parameters: readonly Bindable[];
    }
  | {
      readonly update: Collection;
      readonly id: string;
      readonly fields: readonly string[];
      /** Values of the fields. */
      readonly values: readonly Bindable[];
      readonly ifRevision?: number | undefined;
    }
  | { readonly delete: Collection; readonly id: string; readonly ifRevision?: number | undefined }
  | {
      readonly deleteWhere: Collection;
      /** In the order of the names of their columns. */
      readonly fields: readonly string[];
      readonly values: readonly Bindable[];
    };

/** Checks writes and encodes their values, which depends on nothing that is stored. */
export class WriteEncoder {
  /** Capabilities that commits of this dialect have. */
  readonly capabilities: readonly string[];
  readonly #dialect: Dialect;
  readonly #rows = new Map<Collection, RowEncoder>();

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
    this.capabilities = dialect === 'postgres' ? [statementCapability] : [];
  }

  /** @throws TypeError or RangeError for writes that the contract of storages rules out. */
  encode(tenant: TenantId, writes: readonly Write[]): readonly EncodedWrite[] {
    storageArguments.commit(writes, this.capabilities);
    return writes.map((write) => this.#encode(tenant, write));
  }

  #encode(tenant: TenantId, write: Write): EncodedWrite {
    if ('capability' in write) return write;
    if ('insert' in write) {
      const { insert, row } = write;
      return { insert, id: row.id, parameters: this.#rowEncoder(insert)(tenant, row) };
    }
    if ('update' in write) {
      const { update, id, set, ifRevision } = write;
      const table = tables[update];
      const fields = Object.keys(set);
      const values = fields.map((field) =>
        encode(this.#dialect, field, columnOf(table, field).type, Reflect.get(set, field)),
      );
      return { update, id, fields, values, ifRevision };
    }
    if ('delete' in write) return { delete: write.delete, id: write.id, ifRevision: write.ifRevision };
    const filter = conditions(tables[write.deleteWhere], write.where);
    return {
      deleteWhere: write.deleteWhere,
      fields: filter.map(({ column }) => column.field),
      values: filter.map(({ column, value }) =>
        value === null ? null : encode(this.#dialect, column.field, column.type, value),
      ),
    };
  }

  #rowEncoder(collection: Collection): RowEncoder {
    let encoder = this.#rows.get(collection);
    if (encoder === undefined) {
      encoder = rowEncoder(this.#dialect, tables[collection].columns);
      this.#rows.set(collection, encoder);
    }
    return encoder;
  }
}
