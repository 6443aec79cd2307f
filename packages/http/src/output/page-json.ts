import { type PageRequest, type PageResult, PatchbayError } from '@patchbay/core';

/** The query of a list, from which a page is asked for. */
interface PageQuery<S extends string> extends Omit<PageRequest<S>, 'cursor'> {
  readonly cursor: string | undefined;
}

/** @throws PatchbayError `invalid_request` for a cursor together with an offset: they name different places. */
export function pageRequest<S extends string>({ cursor, ...page }: PageQuery<S>): PageRequest<S> {
  if (cursor === undefined) return page;
  if (page.offset > 0) {
    throw new PatchbayError('invalid_request', 'the query is not valid', {
      errors: [{ pointer: '?cursor', code: 'conflict', detail: 'cannot be used together with offset' }],
    });
  }
  return { ...page, cursor };
}

/** A page of a list as it is sent. */
export function pageJson<R>(page: PageRequest<string>, result: PageResult<R>, entry: (row: R) => unknown) {
  const { total, nextCursor } = result;
  const { limit, offset } = page;
  const meta = nextCursor === undefined ? { total, limit, offset } : { total, limit, offset, nextCursor };
  return { data: result.rows.map(entry), meta };
}
