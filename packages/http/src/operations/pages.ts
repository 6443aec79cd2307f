import { PatchbayError } from '@patchbay/core';
import type { Reply } from '../output/wire.ts';
import type { PathParameter } from '../routing.ts';
import type { Page, PageRequest } from '../service-types.ts';

export const functionId: PathParameter = { description: 'Id of the function.', notFound: 'function_not_found' };

export const executionId: PathParameter = { description: 'Id of the execution.', notFound: 'execution_not_found' };

/** The query parameters that every list has. */
const pageQuery = {
  limit: { type: 'integer', minimum: 1, maximum: 100, default: 20, description: 'Most entries to return.' },
  offset: { type: 'integer', minimum: 0, maximum: 10_000, default: 0, description: 'Entries to skip.' },
  order: { type: 'string', enum: ['asc', 'desc'], default: 'desc', description: 'Direction of the sort.' },
  cursor: {
    type: 'string',
    maxLength: 2_000,
    description: 'Place to go on from: `meta.nextCursor` of the page before. Not together with `offset`.',
  },
} as const;

/** The query parameters of a list that can be sorted by these fields, by default by the first one. */
export function listQuery<const F extends readonly [string, ...string[]]>(
  fields: F,
  description = 'Field to sort by.',
) {
  return { ...pageQuery, sort: { type: 'string', enum: fields, default: fields[0], description } } as const;
}

/** The query parameter of lists of past events. */
export const since = {
  type: 'string',
  format: 'date-time',
  description: 'Only entries of this time or later.',
} as const;

/** The query of a list. */
interface PageQuery<S extends string> extends Omit<PageRequest<S>, 'cursor'> {
  readonly cursor: string | undefined;
}

/** @throws PatchbayError `invalid_request` for a cursor together with an offset: they name different positions. */
function pageRequest<S extends string>({ cursor, ...page }: PageQuery<S>): PageRequest<S> {
  if (cursor === undefined) return page;
  if (page.offset > 0) {
    throw new PatchbayError('invalid_request', 'the query is not valid', {
      errors: [{ pointer: '?cursor', code: 'conflict', detail: 'cannot be used together with offset' }],
    });
  }
  return { ...page, cursor };
}

/** Reply with a page of a list. */
export async function pageReply<S extends string, R>(
  query: PageQuery<S>,
  list: (page: PageRequest<S>) => Promise<Page<R>>,
  toJson: (row: R) => unknown,
): Promise<Reply> {
  const page = pageRequest(query);
  const { rows, total, nextCursor } = await list(page);
  const { limit, offset } = page;
  const meta = nextCursor === undefined ? { total, limit, offset } : { total, limit, offset, nextCursor };
  return { json: { data: rows.map(toJson), meta } };
}
