import type { Clock } from '../contracts/clock.ts';
import type { RequestContext } from '../contracts/context.ts';
import { providerError } from '../contracts/provider-error.ts';

/** A context that ends at a deadline of its own, or with the one it was made from. */
export interface DeadlineContext {
  readonly context: RequestContext;
  /** Milliseconds that are left. */
  leftMs(): number;
  /** Whether running out of it counts against the model that was asked: not where the caller allowed less than the gateway. */
  readonly blamesModel: boolean;
  /** Settle as `work` does, but no later than the signal aborts: a provider that ignores it holds up nobody. */
  race<T>(work: Promise<T>): Promise<T>;
  close(): void;
}

export function createDeadlineContext(parent: RequestContext, ms: number, clock: Clock): DeadlineContext {
  const controller = new AbortController();
  const now = clock.now();
  const deadline = Math.min(parent.deadline ?? Number.POSITIVE_INFINITY, now + ms);
  const { signal } = controller;
  /** What ends the races under way: told directly, because a listener of the signal for each would cost more. */
  const losers = new Set<(reason: unknown) => void>();
  const end = (reason: unknown): void => {
    controller.abort(reason);
    for (const lose of losers) lose(reason);
    losers.clear();
  };
  const abort = (): void => end(parent.signal.reason);
  const timer = setTimeout(
    () => end(providerError('timeout', 'no model answered in time')),
    Math.max(0, deadline - now),
  );
  if (parent.signal.aborted) abort();
  else parent.signal.addEventListener('abort', abort);

  return {
    context: { ...parent, signal, deadline },
    blamesModel: (parent.deadline ?? Number.POSITIVE_INFINITY) >= now + ms,
    leftMs: () => Math.max(0, deadline - clock.now()),
    race(work) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) reject(signal.reason);
        else losers.add(reject);
        work.then(
          (value) => {
            losers.delete(reject);
            resolve(value);
          },
          (error: unknown) => {
            losers.delete(reject);
            reject(error);
          },
        );
      });
    },
    close() {
      clearTimeout(timer);
      parent.signal.removeEventListener('abort', abort);
    },
  };
}
