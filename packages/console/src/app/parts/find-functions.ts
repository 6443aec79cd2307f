import type { ApiClient } from '../api/api-client.ts';
import type { FunctionSummary, Key } from '../api/operations.generated.ts';
import { type ListPage, newestFirst } from './use-keyset-list.ts';

const PAGE = 100;

/** The next functions by name, from a cursor on, that have some words in their name or purpose. Pages without matches are skipped. */
export async function findFunctions(
  api: ApiClient,
  words: string,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ListPage<FunctionSummary>> {
  const read = (from: string | undefined) => {
    const query = { sort: 'name', order: 'asc', limit: PAGE, ...(from !== undefined && { cursor: from }) } as const;
    return api.call('listFunctions', { query, signal });
  };
  return await nextWith(words, ({ name, description }) => `${name} ${description}`, read, cursor);
}

/** The newest keys that have some words in their name. */
export async function findKeys(api: ApiClient, words: string, signal: AbortSignal): Promise<ListPage<Key>> {
  const read = (from: string | undefined) => api.call('listKeys', { query: newestFirst(from), signal });
  return await nextWith(words, ({ name }) => name, read, undefined);
}

/** The rows with some words in their text, of the first page from a cursor on that has any: a page without matches need not be the last. */
async function nextWith<T>(
  words: string,
  textOf: (row: T) => string,
  read: (cursor: string | undefined) => Promise<ListPage<T>>,
  cursor: string | undefined,
): Promise<ListPage<T>> {
  const { data, meta } = await read(cursor);
  if (words === '') return { data, ...(meta && { meta }) };
  const nextCursor = meta?.nextCursor;
  const found = data.filter((row) => textOf(row).toLowerCase().includes(words.toLowerCase()));
  if (found.length === 0 && nextCursor !== undefined) return await nextWith(words, textOf, read, nextCursor);
  return { data: found, meta: nextCursor === undefined ? {} : { nextCursor } };
}

/** The function with a name; without a name, the first. */
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
