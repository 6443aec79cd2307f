import type { Reading } from '@patchbay/store-typeorm';

/** A page and the number of all rows that match, out of one state of the database. */
export interface ListReading<R> extends Reading<R> {
  readonly total: (values: readonly unknown[]) => number;
  /** Whether there is a row beside the number. */
  readonly found: (values: readonly unknown[]) => boolean;
}

/**
 * Both as one statement, because a statement sees one state and two do not. There is one number, and rows are joined to
 * it in the order in which they come; without any there is the number alone.
 */
export function listStatement<R>(page: Reading<R>, total: Reading<number>): ListReading<R> {
  const shift = page.parameters.length;
  const counting = total.sql.replace(/\$(\d+)/g, (_, number: string) => `$${Number(number) + shift}`);
  return {
    sql: `SELECT "all"."total", "page".* FROM (SELECT COALESCE((${counting}), 0) AS "total") AS "all" LEFT JOIN (SELECT TRUE AS "found", "rows".* FROM (${page.sql}) AS "rows") AS "page" ON TRUE`,
    parameters: [...page.parameters, ...total.parameters],
    total: total.read,
    found: (values) => values[1] !== null,
    read: (values) => page.read(values.slice(2)),
  };
}
