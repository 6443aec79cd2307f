import { compareCodePoints } from '../base/compare-code-points.ts';
import type { Collection, Row } from '../contracts/rows.ts';
import { descriptors, type Fields } from './memory-fields.ts';

/** Whether a row passes a filter. A condition without a value is refused: ignoring it would widen what is touched. */
export function matcher(collection: Collection, where: object): (fields: Fields) => boolean {
  const conditions = Object.entries(where);
  for (const [field, value] of conditions) {
    if (!descriptors[collection].filter.includes(field)) {
      throw new TypeError(`${collection} cannot be filtered by ${field}`);
    }
    if (value === undefined) throw new TypeError(`the filter ${field} of ${collection} has no value`);
  }
  return (fields) => conditions.every(([field, value]) => fields[field] === value);
}

/** The name of a field that the collection can be sorted by. */
export function sortable(collection: Collection, field: string): string {
  if (descriptors[collection].sort.includes(field)) return field;
  throw new TypeError(`${collection} cannot be sorted by ${field}`);
}

/** The order of a list: by a field, ties by id, in the same direction. */
export function comparison(sort: string, order: 'asc' | 'desc'): (a: Fields, b: Fields) => number {
  const direction = order === 'asc' ? 1 : -1;
  return (a, b) => direction * (compareValues(a[sort], b[sort]) || compareValues(a['id'], b['id']));
}

function compareValues(a: unknown, b: unknown): number {
  return typeof a === 'string' && typeof b === 'string' ? compareCodePoints(a, b) : Number(a) - Number(b);
}

/** A row that stands where a keyset points. */
export function place(sort: string, after: { readonly value: string | number } & Pick<Row, 'id'>): Fields {
  return { id: after.id, [sort]: after.value };
}

export function pick(row: Fields, select: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(row).filter(([name]) => select.includes(name)));
}

export function bounded(name: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new RangeError(`${name} must be an integer from ${least} to ${most}`);
}
