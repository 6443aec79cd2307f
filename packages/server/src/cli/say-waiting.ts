import type { ClientConfig } from '@patchbay/client';

/** A person waits this long without a word. */
const QUIET_MS = 2_000;

/** Shows what a command waits for. */
export type Note = (text: string) => void;

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
export function sayingClient(baseUrl: string, note: Note): Required<Pick<ClientConfig, 'fetch' | 'onRetry'>> {
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
