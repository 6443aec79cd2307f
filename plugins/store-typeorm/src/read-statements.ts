import { setImmediate } from 'node:timers/promises';
import type { TenantId } from '@patchbay/core/plugin';
import {
  type Collection,
  type Filter,
  type ListQuery,
  type Rows,
  type SortField,
  storageArguments,
} from '@patchbay/core/storage';
import {
  type Bindable,
  columnOf,
  conditions,
  conditionsKey,
  conditionsParameters,
  conditionsSql,
  type Dialect,
  encode,
  PARSED_AT_ONCE,
  placeholders,
  quote,
  type RowReader,
  rowReader,
  type Statement,
} from './sql.ts';
import { type CollectionTable, type Column, countsTable, tables } from './tables.ts';

/** A statement, and what to make of each row that it returns. */
export interface Reading<R> extends Statement {
  readonly read: (values: readonly unknown[]) => R | Promise<R>;
}

/** A statement that returns one number. */
export interface Counting extends Statement {
  readonly read: (values: readonly unknown[]) => number;
}

/** Rows that are counted one by one: the contract asks for no more, so that a list costs the same with millions of them. */
const COUNTED = 10_000;

type Conditions = ReturnType<typeof conditions>;

interface Shape {
  readonly sql: string;
  readonly read: RowReader;
}

/** The reads of `Storage` as statements. Their text is written once per shape of question and then reused. */
export class ReadStatements {
  readonly #dialect: Dialect;
  readonly #shapes = new Map<string, Shape>();

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  get<C extends Collection>(tenant: TenantId, collection: C, id: string): Reading<Rows[C]> {
    const shape = this.#shape(`get ${collection}`, () => {
      const { name, columns } = tables[collection];
      const next = placeholders(this.#dialect);
      const where = `"id" = ${next()} AND "tenant" = ${next()}`;
      return {
        sql: `SELECT ${names(columns)} FROM ${quote(name)} WHERE ${where}`,
        read: rowReader(this.#dialect, columns),
      };
    });
    return { sql: shape.sql, parameters: [id, tenant], isSingle: true, read: shape.read as Reading<Rows[C]>['read'] };
  }

  /** The rows of a page. The number of all rows is another statement: `total`. */
  page<C extends Collection, F extends keyof Rows[C]>(
    tenant: TenantId,
    collection: C,
    query: ListQuery<C, F>,
  ): Reading<Pick<Rows[C], F>> {
    storageArguments.list(collection, query);
    const table = tables[collection];
    const { sort, from, after, limit, offset = 0 } = query;
    const by = columnOf(table, sort);
    const order = query.order === 'asc' ? 'ASC' : 'DESC';
    const filter = conditions(table, query.where ?? {});
    const select = query.select as readonly string[] | undefined;
    const key = `page ${collection} ${sort} ${order} ${from !== undefined} ${after !== undefined} ${conditionsKey(filter)} ${select?.join() ?? '*'}`;
    const shape = this.#shape(key, () => {
      const columns =
        select === undefined ? table.columns : table.columns.filter(({ field }) => select.includes(field));
      const next = placeholders(this.#dialect);
      const where = [`"tenant" = ${next()}`, ...conditionsSql(filter, next)];
      if (from !== undefined) where.push(`${quote(by.name)} >= ${next()}`);
      if (after !== undefined) {
        where.push(`(${quote(by.name)}, "id") ${order === 'ASC' ? '>' : '<'} (${next()}, ${next()})`);
      }
      return {
        sql:
          `SELECT ${names(columns)} FROM ${quote(table.name)} WHERE ${where.join(' AND ')} ` +
          `ORDER BY ${quote(by.name)} ${order}, "id" ${order} LIMIT ${next()} OFFSET ${next()}`,
        read: rowReader(this.#dialect, columns),
      };
    });
    return reading<Pick<Rows[C], F>>(shape, [
      tenant,
      ...conditionsParameters(this.#dialect, filter),
      ...(from === undefined ? [] : [encode(this.#dialect, sort, by.type, from)]),
      ...(after === undefined ? [] : [encode(this.#dialect, sort, by.type, after.value), after.id]),
      limit,
      offset,
    ]);
  }

  /** How many rows match. Read from a counter where one is kept, so that the cost does not grow with the rows. */
  total<C extends Collection>(
    tenant: TenantId,
    collection: C,
    where: Filter<C>,
    range?: Pick<ListQuery<C>, 'sort' | 'from'>,
  ): Counting {
    const table = tables[collection];
    const filter = conditions(table, where);
    if (range?.from !== undefined) {
      return this.#count(tenant, table, filter, { column: columnOf(table, range.sort), from: range.from });
    }
    const [only, ...others] = filter;
    if (only === undefined) return this.#counter(tenant, collection, '', '');
    const { column, value } = only;
    const text = String(value);
    if (others.length === 0 && value !== null && table.counted.includes(column.field)) {
      return this.#counter(tenant, collection, column.field, text);
    }
    return this.#count(tenant, table, filter);
  }

  /** Rows of every tenant; the tenant is beside the row. */
  scan<C extends Collection>(
    collection: C,
    where: Filter<C>,
    limit: number,
    sort?: SortField<C>,
    heads?: { readonly after?: TenantId },
  ): Reading<{ readonly tenant: TenantId; readonly row: Rows[C] }> {
    storageArguments.scan(collection, where, limit, sort, heads);
    const table = tables[collection];
    const filter = conditions(table, where);
    const by = sort === undefined ? undefined : columnOf(table, sort);
    if (heads !== undefined && by !== undefined) return this.#heads(table, filter, by, limit, heads);
    const shape = this.#shape(`scan ${collection} ${sort} ${conditionsKey(filter)}`, () => {
      const next = placeholders(this.#dialect);
      const all = conditionsSql(filter, next);
      const sqlWhere = all.length === 0 ? '' : ` WHERE ${all.join(' AND ')}`;
      const order = by === undefined ? '' : ` ORDER BY ${quote(by.name)}, "id"`;
      const row = rowReader(this.#dialect, table.columns);
      return {
        sql: `SELECT ${names(table.columns)}, "tenant" FROM ${quote(table.name)}${sqlWhere}${order} LIMIT ${next()}`,
        read: besideTenant(row, table.columns.length),
      };
    });
    const parameters = [...conditionsParameters(this.#dialect, filter), limit];
    return reading<{ readonly tenant: TenantId; readonly row: Rows[C] }>(shape, parameters);
  }

  /** The tenants are found by one step in the index each, however many rows they have. */
  #heads<R>(
    table: CollectionTable,
    filter: Conditions,
    by: Column,
    limit: number,
    { after }: { readonly after?: TenantId },
  ): Reading<R> {
    const shape = this.#shape(`heads ${table.collection} ${by.name} ${conditionsKey(filter)}`, () => {
      const next = placeholders(this.#dialect);
      const name = quote(table.name);
      // Placeholders are numbered: they are requested in the order of the parameters.
      const where = (than: () => string): string =>
        [...conditionsSql(filter, next), `"tenant" ${than()}`].join(' AND ');
      const first = (than: () => string): string =>
        `(SELECT "tenant" FROM ${name} WHERE ${where(than)} ORDER BY "tenant" LIMIT 1)`;
      const steps =
        `SELECT ${first(() => `> ${next()}`)}, 1 UNION ALL ` +
        `SELECT ${first(() => '> "step"."owner"')}, "place" + 1 FROM "step" ` +
        `WHERE "owner" IS NOT NULL AND "place" < ${next()}`;
      const order = `ORDER BY ${quote(by.name)}, "id" LIMIT 1`;
      const head = `(SELECT "id" FROM ${name} WHERE ${where(() => '= "step"."owner"')} ${order})`;
      const columns = table.columns.map((column) => `${name}.${quote(column.name)}`).join(', ');
      const row = rowReader(this.#dialect, table.columns);
      return {
        sql:
          `WITH RECURSIVE "step" ("owner", "place") AS (${steps}), ` +
          `"head" AS (SELECT "owner", ${head} AS "first" FROM "step" WHERE "owner" IS NOT NULL) ` +
          `SELECT ${columns}, "head"."owner" FROM "head" JOIN ${name} ON ${name}."id" = "first" ORDER BY "head"."owner"`,
        read: besideTenant(row, table.columns.length),
      };
    });
    const filtered = conditionsParameters(this.#dialect, filter);
    return reading<R>(shape, [...filtered, after ?? '', ...filtered, limit, ...filtered]);
  }

  #counter(tenant: TenantId, collection: Collection, field: string, value: string): Counting {
    const shape = this.#shape('counter', () => {
      const next = placeholders(this.#dialect);
      const where = ['tenant', 'collection', 'field', 'value'].map((name) => `${quote(name)} = ${next()}`);
      return { sql: `SELECT "total" FROM ${quote(countsTable)} WHERE ${where.join(' AND ')}`, read: Object };
    });
    return { sql: shape.sql, parameters: [tenant, collection, field, value], isSingle: true, read: firstNumber };
  }

  #count(
    tenant: TenantId,
    table: CollectionTable,
    filter: Conditions,
    range?: { readonly column: Column; readonly from: string | number },
  ): Counting {
    const shape = this.#shape(`count ${table.collection} ${range?.column.name} ${conditionsKey(filter)}`, () => {
      const next = placeholders(this.#dialect);
      const where = [`"tenant" = ${next()}`, ...conditionsSql(filter, next)];
      if (range) where.push(`${quote(range.column.name)} >= ${next()}`);
      const found = `SELECT 1 FROM ${quote(table.name)} WHERE ${where.join(' AND ')} LIMIT ${COUNTED}`;
      return { sql: `SELECT COUNT(*) FROM (${found}) AS "found"`, read: Object };
    });
    return {
      sql: shape.sql,
      parameters: [
        tenant,
        ...conditionsParameters(this.#dialect, filter),
        ...(range ? [encode(this.#dialect, range.column.field, range.column.type, range.from)] : []),
      ],
      read: firstNumber,
    };
  }

  #shape(key: string, write: () => Shape): Shape {
    let shape = this.#shapes.get(key);
    if (shape === undefined) {
      shape = write();
      this.#shapes.set(key, shape);
    }
    return shape;
  }
}

function reading<R>(shape: Shape, parameters: readonly Bindable[]): Reading<R> {
  return { sql: shape.sql, parameters, read: shape.read as (values: readonly unknown[]) => R };
}

/** Rows whose tenant is in a column after their own. */
function besideTenant(read: RowReader, place: number): RowReader {
  return (values) => {
    const tenant = values[place];
    const made = read(values);
    return made instanceof Promise ? made.then((row) => ({ tenant, row })) : { tenant, row: made };
  };
}

function names(columns: readonly { readonly name: string }[]): string {
  return columns.length === 0 ? '1' : columns.map(({ name }) => quote(name)).join(', ');
}

// PostgreSQL's driver returns a bigint as text.
function firstNumber(values: readonly unknown[]): number {
  return Number(values[0]);
}

/** Characters of rows that are read in one turn of the event loop. */
const CHARACTERS_PER_TURN = 1_048_576;

/** All rows that a driver has returned; a promise where they are large, which are read over several turns of the event loop. */
export function readRows<R>(
  reading: Reading<R>,
  found: readonly (readonly unknown[])[],
): readonly R[] | Promise<readonly R[]> {
  let characters = 0;
  for (const values of found) characters += charactersOf(values);
  // None of their documents can be a large one.
  return characters > PARSED_AT_ONCE ? readOverTurns(reading, found) : (found.map(reading.read) as readonly R[]);
}

async function readOverTurns<R>({ read }: Reading<R>, found: readonly (readonly unknown[])[]): Promise<readonly R[]> {
  const rows: R[] = [];
  let characters = 0;
  for (const values of found) {
    characters += charactersOf(values);
    if (characters > CHARACTERS_PER_TURN) {
      await setImmediate();
      characters = 0;
    }
    rows.push(await read(values));
  }
  return rows;
}

function charactersOf(values: readonly unknown[]): number {
  let characters = 0;
  for (const value of values) if (typeof value === 'string') characters += value.length;
  return characters;
}
