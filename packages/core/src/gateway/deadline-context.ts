import type { Clock } from '../contracts/clock.ts';
import type { RequestContext } from '../contracts/context.ts';
import { providerError } from '../contracts/provider-error.ts';

/** A context that ends at a deadline of its own, or with the one it was made from. */
export interface DeadlineContext {
  readonly context: RequestContext;
  /** Milliseconds that are left. */
  leftMs(): number;
  /** Settle as `work` does, but no later than the signal aborts: a provider that ignores it holds up nobody. */
  race<T>(work: Promise<T>): Promise<T>;
  close(): void;
}

export function createDeadlineContext(parent: RequestContext, ms: number, clock: Clock): DeadlineContext {
  const controller = new AbortController();
  const deadline = Math.min(parent.deadline ?? Number.POSITIVE_INFINITY, clock.now() + ms);
  const { signal } = controller;
  const abort = (): void => controller.abort(parent.signal.reason);
  const timer = setTimeout(
    () => controller.abort(providerError('timeout', 'no model answered in time')),
    Math.max(0, deadline - clock.now()),
  );
  if (parent.signal.aborted) abort();
  else parent.signal.addEventListener('abort', abort, { once: true });

  return {
    context: { ...parent, signal, deadline },
    leftMs: () => Math.max(0, deadline - clock.now()),
    race(work) {
      return new Promise((resolve, reject) => {
        const stop = (): void => reject(signal.reason);
        if (signal.aborted) stop();
        else signal.addEventListener('abort', stop, { once: true });
        work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
      });
    },
    close() {
      clearTimeout(timer);
      parent.signal.removeEventListener('abort', abort);
    },
  };
}
