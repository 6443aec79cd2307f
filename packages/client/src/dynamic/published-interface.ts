import type { RequestOptions } from '../http/client-config.ts';
import type { Http, HttpReply } from '../http/http.ts';
import type { CallOptions } from './call-options.ts';
import type { CallDependencies, CallRequest, CallResolver } from './resolve-call.ts';

/**
 * Sends calls to a server without calls by name, using endpoints of the published interface: the stored
 * function with that name, else a function call of a model.
 */
export function createFallback(parts: CallDependencies): CallResolver {
  const functions = createFunctionLookup(parts);
  return async (request) => {
    const id = await functions.find(request.name, request.options);
    if (id === undefined) return await generate(parts, request);
    try {
      return await execute(parts, id, request);
    } catch (error) {
      // It may have been deleted and created again.
      functions.forget();
      throw error;
    }
  };
}

async function execute(
  { http, errorOf }: CallDependencies,
  functionId: string,
  request: CallRequest,
): Promise<HttpReply> {
  const { input, options, key } = request;
  const path = `/functions/${encodeURIComponent(functionId)}/execute`;
  const reply = await http({ ...options, idempotencyKey: key, method: 'POST', path, body: { input } });
  const execution = reply.json as Readonly<Record<string, unknown>>;
  const { status } = execution;
  if (status !== 'completed') {
    throw errorOf(reply.status, { detail: `the execution is ${String(status)}`, execution }, reply.headers);
  }
  const warnings = withoutEffect(options, ['model', 'cache', 'metadata']);
  return { ...reply, json: { ...execution, source: 'stored', functionId, warnings } };
}

async function generate({ http }: CallDependencies, request: CallRequest): Promise<HttpReply> {
  const { name, input, options, output } = request;
  const key = keyOf(name)
    .replace(/[^\w-]/g, '')
    .slice(0, 64);
  const messages = [
    { role: 'system', content: `Do "${name}" with the input, and call the function with what comes out of it.` },
    { role: 'user', content: JSON.stringify(input) },
  ];
  // Models leave an object without properties empty.
  const parameters = output?.schema ?? {
    type: 'object',
    properties: { result: { type: 'string', description: name } },
    required: ['result'],
  };
  const functions = [{ name: key || 'call', description: `Takes the result of: ${name}`, parameters }];
  const body = { messages, functions, model: options.model };
  const reply = await http({ ...options, method: 'POST', path: '/function-calling', body });
  const { functionCall, ...rest } = reply.json as FunctionCallDocument;
  const { warnings = [], ...answer } = rest;
  const ignored = withoutEffect(options, ['cache', 'metadata']);
  return { ...reply, json: { ...answer, output: functionCall.arguments, warnings: [...warnings, ...ignored] } };
}

function withoutEffect(options: CallOptions, names: readonly (keyof CallOptions)[]): readonly string[] {
  return names.filter((name) => options[name]).map((name) => `this server has no use for the option "${name}" here`);
}

interface FunctionCallDocument {
  readonly functionCall: { readonly arguments: unknown };
  readonly warnings?: readonly string[];
}

/** A new function is found after this time at the latest. */
const listIsFreshMs = 60_000;
const pageSize = 100;

type Names = ReadonlyMap<string, string>;

/** Finds stored functions by name, for servers without calls by name. */
function createFunctionLookup({ http, APIError }: CallDependencies) {
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
    /** Discard the cached lookup. */
    forget(): void {
      known = undefined;
    },
    /**
     * The id of the function with this name, else with this camelCase key.
     *
     * @throws APIError `ambiguous_function_name` for several.
     */
    async find(name: string, { signal, timeout, headers }: RequestOptions): Promise<string | undefined> {
      // Many calls share one list request, so none of them may cancel it.
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

/** By id, because a function stored meanwhile shifts the pages, and some functions appear twice. */
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

/** The camelCase key of a name: `Summarize Text` is `summarizeText`. */
export function keyOf(name: string): string {
  return name
    .replace(/[^\p{L}\p{N}]+(.)?/gu, (_, next: string | undefined) => next?.toUpperCase() ?? '')
    .replace(/^./u, (first) => first.toLowerCase());
}
