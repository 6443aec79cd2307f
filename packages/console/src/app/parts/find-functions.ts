import type { ApiClient } from '../api/api-client.ts';
import type { FunctionSummary } from '../api/operations.generated.ts';
import type { ListPage } from './use-keyset-list.ts';

const PAGE = 100;

/** The next functions by name, from a cursor on, that have some words in their name or purpose. Pages without any are passed over. */
export async function findFunctions(
  api: ApiClient,
  words: string,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ListPage<FunctionSummary>> {
  const query = { sort: 'name', order: 'asc', limit: PAGE, ...(cursor !== undefined && { cursor }) } as const;
  const { data, meta } = await api.call('listFunctions', { query, signal });
  if (words === '') return { data, meta };
  const { nextCursor } = meta;
  const found = data.filter((each) => `${each.name} ${each.description}`.toLowerCase().includes(words.toLowerCase()));
  // A page without a match is no end.
  if (found.length === 0 && nextCursor !== undefined) return await findFunctions(api, words, nextCursor, signal);
  return { data: found, meta: nextCursor === undefined ? {} : { nextCursor } };
}

/** The function of a name; of none, the first. */
export async function functionOfName(
  api: ApiClient,
  name: string,
  signal: AbortSignal,
): Promise<FunctionSummary | undefined> {
  let cursor: string | undefined;
  do {
    const { data, meta } = await findFunctions(api, name, cursor, signal);
    const found = name === '' ? data[0] : data.find((each) => each.name === name);
    if (found) return found;
    cursor = meta?.nextCursor;
  } while (cursor !== undefined);
  return undefined;
}
