import type { TenantId } from '@patchbay/core/plugin';
import { type CapabilityWrite, type Collection, storageArguments, type Write } from '@patchbay/core/storage';
import {
  type Bindable,
  columnOf,
  conditions,
  type Dialect,
  encode,
  type RowEncoder,
  rowEncoder,
  statementCapability,
} from './sql.ts';
import { tables } from './tables.ts';

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
