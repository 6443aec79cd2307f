import type { RequestOptions } from '../http/client-config.ts';
import type { Http } from '../http/http.ts';
import { keyOf } from './key-of.ts';
import type { Parts } from './resolve-call.ts';

/** Finds stored functions by name, for servers that do not do it themselves. */
export interface FunctionLookup {
  /**
   * The id of the function of this name, else of the one with this camelCase key.
   *
   * @throws APIError `ambiguous_function_name` where there is more than one.
   */
  find(name: string, options: RequestOptions): Promise<string | undefined>;
  /** Ask the server anew the next time. */
  forget(): void;
}

/** A new function is found after this time at the latest. */
const listIsFreshMs = 60_000;
const pageSize = 100;

interface Known {
  readonly readAt: number;
  /** Names by id. */
  readonly names: ReadonlyMap<string, string>;
}

export function createFunctionLookup({ http, APIError }: Parts): FunctionLookup {
  let known: Known | undefined;
  return {
    forget() {
      known = undefined;
    },
    async find(name, { signal, timeout, headers }) {
      if (!known || Date.now() - known.readAt > listIsFreshMs) {
        const options = { ...(signal && { signal }), ...(timeout && { timeout }), ...(headers && { headers }) };
        known = { names: await readNames(http, options), readAt: Date.now() };
      }
      const all = [...known.names];
      const exact = all.filter(([, other]) => other === name);
      const ids = (exact.length > 0 ? exact : all.filter(([, other]) => keyOf(other) === name)).map(([id]) => id);
      if (ids.length < 2) return ids[0];
      const detail = `"${name}" is the name of ${ids.length} functions: ${ids.join(', ')}`;
      throw new APIError(409, { code: 'ambiguous_function_name', detail });
    },
  };
}

/** By id, because a function that is stored meanwhile moves the pages, and some come twice. */
async function readNames(http: Http, options: RequestOptions): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (let offset = 0; ; offset += pageSize) {
    const { json } = await http({ ...options, method: 'GET', path: `/functions?limit=${pageSize}&offset=${offset}` });
    const { data, meta } = json as Page;
    for (const { id, name } of data) names.set(id, name);
    if (data.length === 0 || offset + data.length >= meta.total) return names;
  }
}

interface Page {
  readonly data: readonly { readonly id: string; readonly name: string }[];
  readonly meta: { readonly total: number };
}
