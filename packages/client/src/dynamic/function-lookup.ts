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
  /** Discard the cached lookup. */
  forget(): void;
}

/** A new function is found after this time at the latest. */
const listIsFreshMs = 60_000;
const pageSize = 100;

type Names = ReadonlyMap<string, string>;

export function createFunctionLookup({ http, APIError }: Parts): FunctionLookup {
  let known: { readonly until: number; readonly names: Promise<Names> } | undefined;

  const names = (options: RequestOptions): Promise<Names> => {
    if (!known || Date.now() > known.until) {
      const reading = { names: readNames(http, options), until: Date.now() + listIsFreshMs };
      reading.names.catch(() => {
        if (known === reading) known = undefined;
      });
      known = reading;
    }
    return known.names;
  };

  return {
    forget() {
      known = undefined;
    },
    async find(name, { signal, timeout, headers }) {
      // Many calls wait for one list, so that none of them may end it.
      const list = names({ ...(timeout && { timeout }), ...(headers && { headers }) });
      const all = [...(await unlessAborted(list, signal))];
      const exact = all.filter(([, other]) => other === name);
      const ids = (exact.length > 0 ? exact : all.filter(([, other]) => keyOf(other) === name)).map(([id]) => id);
      if (ids.length < 2) return ids[0];
      const detail = `"${name}" is the name of ${ids.length} functions: ${ids.join(', ')}`;
      throw new APIError(409, { code: 'ambiguous_function_name', detail });
    },
  };
}

async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  let abort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal?.reason);
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (abort) signal?.removeEventListener('abort', abort);
  }
}

/** By id, because a function that is stored meanwhile moves the pages, and some come twice. */
async function readNames(http: Http, options: RequestOptions): Promise<Names> {
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
