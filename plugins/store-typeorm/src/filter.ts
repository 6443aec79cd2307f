import type { Collection, Filter } from '@patchbay/core/storage';
import { type Bindable, type Dialect, encode } from './columns.ts';
import { type NextPlaceholder, quote } from './statement.ts';
import type { CollectionTable, Column } from './tables.ts';

interface Condition {
  readonly column: Column;
  readonly value: unknown;
}

/**
 * The conditions of a filter, in an order that does not depend on the caller's. An unknown field or a value that is
 * missing is refused: leaving it out would widen what the statement touches.
 */
export function conditions(table: CollectionTable, where: Filter<Collection>): readonly Condition[] {
  const found: Condition[] = [];
  for (const [field, value] of Object.entries(where)) {
    const column = table.filter.has(field) ? table.column.get(field) : undefined;
    if (column === undefined) throw new TypeError(`${table.collection} cannot be filtered by ${field}`);
    if (value === undefined) throw new TypeError(`the filter ${field} of ${table.collection} has no value`);
    found.push({ column, value });
  }
  return found.length > 1 ? found.sort((a, b) => (a.column.name < b.column.name ? -1 : 1)) : found;
}

/** The text of conditions depends on these only: the columns, and which of them are compared to null. */
export function conditionsKey(list: readonly Condition[]): string {
  return list.map(({ column, value }) => `${column.name}${value === null ? '=null' : '='}`).join();
}

export function conditionsSql(list: readonly Condition[], next: NextPlaceholder): readonly string[] {
  // Not `IS NOT DISTINCT FROM`: PostgreSQL uses no index for it.
  return list.map(({ column, value }) => `${quote(column.name)} ${value === null ? 'IS NULL' : `= ${next()}`}`);
}

export function conditionsParameters(dialect: Dialect, list: readonly Condition[]): readonly Bindable[] {
  return list
    .filter(({ value }) => value !== null)
    .map(({ column, value }) => encode(dialect, column.field, column.type, value));
}
