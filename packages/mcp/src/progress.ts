import type { ServerContext } from '@modelcontextprotocol/server';
import type { ExecutionJob } from '@patchbay/core/plugin';

/** Reports when the reader of a response requests more of it. */
export class Reading {
  #asked = Promise.withResolvers<void>();

  /** Settles at the reader's next request. */
  get asked(): Promise<void> {
    return this.#asked.promise;
  }

  ask(): void {
    this.#asked.resolve();
    this.#asked = Promise.withResolvers();
  }
}

/** Notifies a client that requested progress of each output that a generator yields, and waits until it is read. */
export function progressWatcher(
  { mcpReq: { notify, _meta: meta } }: ServerContext,
  reading: Reading,
): ExecutionJob['watcher'] {
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return {
    wrote() {},
    restarted() {},
    async yielded(message) {
      progress += 1;
      const { asked } = reading;
      await notify({ method: 'notifications/progress', params: { progressToken, progress, message } });
      await asked;
    },
  };
}
