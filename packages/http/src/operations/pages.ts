import { type PageRequest, type PageResult, PatchbayError } from '@patchbay/core';
import type { PathParameter } from '../routing.ts';

export const functionId: PathParameter = { description: 'Id of the function.', notFound: 'function_not_found' };

export const executionId: PathParameter = { description: 'Id of the execution.', notFound: 'execution_not_found' };

/** The query parameters that every list has. */
export const pageQuery = {
  limit: { type: 'integer', minimum: 1, maximum: 100, default: 20, description: 'Most entries to return.' },
  offset: { type: 'integer', minimum: 0, maximum: 10_000, default: 0, description: 'Entries to skip.' },
  order: { type: 'string', enum: ['asc', 'desc'], default: 'desc', description: 'Direction of the sort.' },
  cursor: {
    type: 'string',
    maxLength: 2_000,
    description: 'Place to go on from: `meta.nextCursor` of the page before. Not together with `offset`.',
  },
} as const;

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
