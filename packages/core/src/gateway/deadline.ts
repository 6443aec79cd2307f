import type { Clock } from '../contracts/clock.ts';
import type { RequestContext } from '../contracts/context.ts';
import { providerError } from '../contracts/provider-error.ts';
import type { CatalogModel } from './model-catalog.ts';

/** A context that ends at its deadline, or with its parent. */
export interface DeadlineContext {
  readonly context: RequestContext;
  /** Milliseconds that are left. */
  leftMs(): number;
  /** Whether a timeout counts against the model: not if the caller set a shorter deadline than the gateway. */
  readonly blamesModel: boolean;
  /** Settle as `work` does, or when the signal aborts: a provider that ignores it delays no caller. */
  race<T>(work: Promise<T>): Promise<T>;
  close(): void;
}

export function createDeadlineContext(parent: RequestContext, ms: number, clock: Clock): DeadlineContext {
  const controller = new AbortController();
  const now = clock.now();
  const deadline = Math.min(parent.deadline ?? Number.POSITIVE_INFINITY, now + ms);
  const { signal } = controller;
  /** Rejects the races in progress, without a listener of the signal for each, which would cost more. */
  const losers = new Set<(reason: unknown) => void>();
  const end = (reason: unknown): void => {
    controller.abort(reason);
    for (const lose of losers) lose(reason);
    losers.clear();
  };
  const abort = (): void => end(parent.signal.reason);
  const timer = setTimeout(
    () => end(providerError('timeout', 'no model responded in time')),
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

/** Milliseconds until the first token of a stream. */
const WITH_FALLBACK_MS = 12_000;
const REASONING_WITH_FALLBACK_MS = 120_000;
const WITHOUT_FALLBACK_MS = 300_000;

/**
 * Maximum time to the first token. A reasoning model is silent while it reasons, and without a
 * fallback there is no reason to give up early.
 */
export function firstTokenMs({ info }: Pick<CatalogModel, 'info'>, isLast: boolean): number {
  if (isLast) return WITHOUT_FALLBACK_MS;
  return info.capabilities.includes('reasoning') ? REASONING_WITH_FALLBACK_MS : WITH_FALLBACK_MS;
}

/** A deadline for one attempt of a stream, until its first token has arrived. */
export interface FirstTokenLimit extends Pick<DeadlineContext, 'context' | 'race'> {
  /** From now on, only the parent deadline applies. */
  arrived(): void;
  /** The stream is over. */
  release(): void;
}

/** @param name The provider, for messages. */
export function limitFirstToken(deadline: DeadlineContext, milliseconds: number, name: string): FirstTokenLimit {
  const { context } = deadline;
  const controller = new AbortController();
  const expired = Promise.withResolvers<never>();
  // It may expire while nothing waits.
  expired.promise.catch(() => undefined);
  const follow = (): void => controller.abort(context.signal.reason);
  let isAwaited = true;
  const timer = setTimeout(() => {
    const error = providerError('timeout', `${name} sent no first token within ${milliseconds} ms`);
    controller.abort(error);
    expired.reject(error);
  }, milliseconds);
  if (context.signal.aborted) follow();
  else context.signal.addEventListener('abort', follow, { once: true });

  const arrived = (): void => {
    isAwaited = false;
    clearTimeout(timer);
  };
  return {
    context: { ...context, signal: controller.signal },
    race: (work) => deadline.race(isAwaited ? Promise.race([work, expired.promise]) : work),
    arrived,
    release() {
      arrived();
      context.signal.removeEventListener('abort', follow);
    },
  };
}
