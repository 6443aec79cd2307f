import { type Client, type ClientConfig, createClient } from '@patchbay/client';
import type { CliContext } from './cli-context.ts';
import { UsageError } from './cli-failure.ts';
import { findDevelopmentServer } from './development-key.ts';

/** Options of every command that talks to a server. */
export interface RemoteOptions {
  readonly url?: string;
  readonly apiKey?: string;
  readonly json?: boolean;
}

const defaultUrl = 'http://127.0.0.1:4810';

/** Where commands find the server: where they are told, or else the one that `patchbay dev` runs in this folder. */
export function urlOf(options: RemoteOptions, context: CliContext): string {
  return serverOf(options, context).url;
}

export function clientOf(options: RemoteOptions, context: CliContext): Client {
  const { url, apiKey } = serverOf(options, context);
  const say: Note = (waiting) => context.output.note(options.json ? JSON.stringify({ waiting }) : waiting);
  return createClient({ baseUrl: url, apiKey, ...sayingClient(url, say) });
}

function serverOf(
  { url, apiKey }: RemoteOptions,
  { env, cwd }: CliContext,
): { readonly url: string; readonly apiKey: string } {
  const told = url || env['PATCHBAY_URL'];
  const found = told ? undefined : findDevelopmentServer(cwd);
  if (told && !/^https?:$/.test(URL.parse(told)?.protocol ?? '')) {
    const place = url ? '--url' : 'PATCHBAY_URL';
    throw new UsageError(`${place} is ${JSON.stringify(told)}, and has to be a URL such as ${defaultUrl}`);
  }
  return {
    url: (told || found?.url || defaultUrl).replace(/\/+$/, ''),
    // A key of the environment is for another server.
    apiKey: apiKey || found?.key || env['PATCHBAY_API_KEY'] || '',
  };
}

/** A person waits this long without a word. */
const QUIET_MS = 2_000;

/** Shows what a command waits for. */
type Note = (text: string) => void;

/** Do some work, and say what is waited for where it takes more than two seconds. */
export async function whileWaiting<T>(what: string, note: Note, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => note(`waiting for ${what}`), QUIET_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

/** The same for each element of a stream that takes so long. */
export async function* sayingStream<T>(what: string, note: Note, stream: AsyncIterable<T>): AsyncGenerator<T, void> {
  const elements = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await whileWaiting(what, note, () => elements.next());
      if (done) return;
      yield value;
    }
  } finally {
    await elements.return?.();
  }
}

/** The parts of a client that say what a request waits for: a response, or the next attempt. */
function sayingClient(baseUrl: string, note: Note): Required<Pick<ClientConfig, 'fetch' | 'onRetry'>> {
  let since = 0;
  let timer: NodeJS.Timeout | undefined;
  const watch = (what: string): void => {
    clearTimeout(timer);
    timer = setTimeout(() => note(`waiting for ${what}`), Math.max(0, since + QUIET_MS - Date.now()));
    // It must not keep a process that has nothing else to do.
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
      // The time before it counts: a person who waits does not begin anew with every attempt.
      const { code } = error as { readonly code?: string };
      watch(`the next attempt in ${(waitMs / 1_000).toFixed(1)} s: ${code ?? error.message}`);
    },
  };
}

/** Server-sent events with JSON in them, as they arrive. An answer that is no stream has none. */
export async function* streamEvents(
  stream: AsyncIterable<string> | undefined,
): AsyncGenerator<{ readonly event: string; readonly data: unknown }> {
  let rest = '';
  for await (const piece of stream ?? []) {
    const blocks = (rest + piece).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, event] = /^event: (.*)$/m.exec(block) ?? [];
      const [, data] = /^data: (.*)$/m.exec(block) ?? [];
      if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) as unknown };
    }
  }
}
