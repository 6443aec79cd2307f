import { compareCodePoints } from '../base/compare-code-points.ts';
import type { Row } from '../contracts/rows.ts';
import type { Fields } from './memory-fields.ts';

/** Whether a row passes a filter. */
export function matcher(where: object): (fields: Fields) => boolean {
  const conditions = Object.entries(where);
  return (fields) => conditions.every(([field, value]) => fields[field] === value);
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
