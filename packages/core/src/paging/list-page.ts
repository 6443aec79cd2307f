import type { RequestContext } from '@patchbay/contracts/context';
import type { Collection, Filter, Rows, SortField } from '@patchbay/contracts/rows';
import type { Storage } from '@patchbay/contracts/storage';
import type { CursorCodec } from './cursor.ts';

/** The page that a list request asks for, with defaults applied and within the documented bounds. */
export interface PageRequest<S extends string = SortField<'functions'>> {
  readonly limit: number;
  readonly offset: number;
  readonly sort: S;
  readonly order: 'asc' | 'desc';
  /** Opaque position to continue from; not together with an offset. */
  readonly cursor?: string;
}

/** A page, with the cursor of the next one if there is more. */
export interface PageResult<R> {
  readonly rows: readonly R[];
  readonly total: number;
  readonly nextCursor?: string;
}

/** Totals from here on may stand for more rows. */
const COUNTED = 10_000;

/** Read a page of a list, from an offset or from a cursor. */
export async function listPage<C extends Collection, F extends keyof Rows[C] = keyof Rows[C]>(
  { storage, cursors }: { readonly storage: Storage; readonly cursors: CursorCodec },
  query: {
    readonly collection: C;
    readonly where?: Filter<C>;
    /** The lowest value of the sorted field. Default: all rows. */
    readonly from?: string | number | undefined;
    readonly page: PageRequest<SortField<C>>;
    /** Default: every field. Must hold `id` and every field that the collection sorts by. */
    readonly select?: readonly F[];
  },
  context: Pick<RequestContext, 'caller'>,
): Promise<PageResult<Pick<Rows[C], F>>> {
  const { collection, where = {}, from, page } = query;
  const select = query.select ? { select: query.select } : {};
  const { tenant } = context.caller;
  const { limit, offset, sort, order, cursor } = page;
  const list = `${collection} ${JSON.stringify(where)} ${sort} ${order}${from === undefined ? '' : ` from ${from}`}`;
  const start = cursor === undefined ? { offset } : { after: cursors.decode(tenant, list, cursor) };
  const range = from === undefined ? {} : { from };
  const asked = { where, sort, order, limit, ...range, ...select, ...start };
  const { rows, total } = await storage.list(tenant, collection, asked);

  const last = rows.at(-1) as (Rows[C] & Record<string, string | number>) | undefined;
  const isExact = cursor === undefined && total < COUNTED;
  const more = isExact ? offset + rows.length < total : rows.length === limit;
  if (!last || !more) return { rows, total };
  return { rows, total, nextCursor: cursors.encode(tenant, list, { value: last[sort] as string, id: last.id }) };
}
