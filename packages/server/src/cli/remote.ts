import { type Client, type ClientConfig, createClient, type HttpRequest } from '@patchbay/client';
import type { CliContext } from './cli-context.ts';
import { exitCodes, UsageError } from './cli-failure.ts';
import { findDevelopmentServer } from './development-key.ts';
import { confirmed } from './input.ts';
import { printResult } from './output.ts';

/** Options of every command that talks to a server. */
export interface RemoteOptions {
  readonly url?: string;
  readonly apiKey?: string;
  readonly json?: boolean;
}

const defaultUrl = 'http://127.0.0.1:4810';

/** The server that commands use: the given one, or else the one that `patchbay dev` runs in this folder. */
export function urlOf(options: RemoteOptions, context: CliContext): string {
  return serverOf(options, context).url;
}

export function clientOf(options: RemoteOptions, context: CliContext): Client {
  const { url, apiKey } = serverOf(options, context);
  const say: Note = (waiting) => context.output.note(options.json ? JSON.stringify({ waiting }) : waiting);
  return createClient({ baseUrl: url, apiKey, ...sayingClient(url, say) });
}

export function serverOf(
  { url, apiKey }: RemoteOptions,
  { env, cwd }: CliContext,
): { readonly url: string; readonly apiKey: string } {
  const told = url || env['PATCHBAY_URL'];
  const found = told ? undefined : findDevelopmentServer(cwd);
  if (told && !/^https?:$/.test(URL.parse(told)?.protocol ?? '')) {
    const place = url ? '--url' : 'PATCHBAY_URL';
    throw new UsageError(`${place} is ${JSON.stringify(told)}, but must be a URL such as ${defaultUrl}`);
  }
  return {
    url: (told || found?.url || defaultUrl).replace(/\/+$/, ''),
    // A key of the environment is for another server.
    apiKey: apiKey || found?.key || env['PATCHBAY_API_KEY'] || '',
  };
}

/** Whether a command that could work on the storage of the config should work on a server. */
export function namesServer({ url }: RemoteOptions, { env }: CliContext): boolean {
  return Boolean(url || env['PATCHBAY_URL']);
}

/** The JSON response of the server to one request. */
export async function ask<T>(context: CliContext, options: RemoteOptions, request: HttpRequest): Promise<T> {
  const { json } = await clientOf(options, context).request({ ...request, signal: context.signal });
  return json as T;
}

const PAGE = 100;

interface ListPage<T> {
  readonly data: readonly T[];
  readonly meta: { readonly nextCursor?: string };
}

/** Every element of a list on the server, which responds in pages. */
export async function* listAll<T>(client: Client, path: string, signal: AbortSignal): AsyncGenerator<T, void> {
  const first = `${path}${path.includes('?') ? '&' : '?'}limit=${PAGE}`;
  let place = '';
  do {
    const { json } = await client.request({ method: 'GET', path: `${first}${place}`, signal });
    const { data, meta } = json as ListPage<T>;
    yield* data;
    place = meta.nextCursor === undefined ? '' : `&cursor=${encodeURIComponent(meta.nextCursor)}`;
  } while (place !== '');
}

interface Deletion {
  readonly path: string;
  /** ETag of the resource that the prompt describes, if it has one. */
  readonly etag?: string;
  readonly question: string;
  readonly deleted: { readonly id: string; readonly name?: string };
}

/** Delete what was read before, in that version, once this is confirmed. */
export async function deleteConfirmed(
  context: CliContext,
  options: RemoteOptions & { readonly yes?: boolean },
  { path, etag, question, deleted }: Deletion,
): Promise<number> {
  const { output } = context;
  if (!(await confirmed(context, { yes: options.yes, question, otherwise: 'nothing was deleted' }))) {
    return exitCodes.failure;
  }
  const headers: Record<string, string> = etag === undefined ? {} : { 'if-match': etag };
  await ask(context, options, { method: 'DELETE', path, headers });
  printResult(output, options, { ...deleted, outcome: 'deleted' }, `deleted  ${deleted.id}`);
  return exitCodes.ok;
}

/** A person waits this long without any output. */
const QUIET_MS = 2_000;

/** Shows what a command waits for. */
type Note = (text: string) => void;

/** Do some work, and show what is awaited if it takes more than two seconds. */
export async function whileWaiting<T>(what: string, note: Note, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => note(`waiting for ${what}`), QUIET_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

/** The parts of a client that show what a request waits for: a response, or the next attempt. */
function sayingClient(baseUrl: string, note: Note): Required<Pick<ClientConfig, 'fetch' | 'onRetry'>> {
  let since = 0;
  let timer: NodeJS.Timeout | undefined;
  const watch = (what: string): void => {
    clearTimeout(timer);
    timer = setTimeout(() => note(`waiting for ${what}`), Math.max(0, since + QUIET_MS - Date.now()));
    // It must not keep a process alive that has nothing else to do.
    timer.unref();
  };
  return {
    async fetch(resource, init) {
      if (timer === undefined) since = Date.now();
      const { pathname } = new URL(resource instanceof Request ? resource.url : resource);
      watch(`a response of ${baseUrl}: ${init?.method ?? 'GET'} ${pathname}`);
      try {
        return await fetch(resource, init);
      } finally {
        clearTimeout(timer);
        timer = undefined;
      }
    },
    onRetry(error, waitMs) {
      // The time before it counts: the wait does not start over with every attempt.
      const { code } = error as { readonly code?: string };
      watch(`the next attempt in ${(waitMs / 1_000).toFixed(1)} s: ${code ?? error.message}`);
    },
  };
}
