import { providerError } from '../contracts/provider-error.ts';
import type { DeadlineContext } from './deadline-context.ts';
import type { CatalogModel } from './model-catalog.ts';

/** Milliseconds until the first token of a stream. */
const WITH_FALLBACK_MS = 12_000;
const REASONING_WITH_FALLBACK_MS = 120_000;
const WITHOUT_FALLBACK_MS = 300_000;

/**
 * How long a model may take to its first token. A model that reasons is silent while it does, and where there is no
 * other to turn to, there is nothing to gain from giving up early.
 */
export function firstTokenMs({ info }: Pick<CatalogModel, 'info'>, isLast: boolean): number {
  if (isLast) return WITHOUT_FALLBACK_MS;
  return info.capabilities.includes('reasoning') ? REASONING_WITH_FALLBACK_MS : WITH_FALLBACK_MS;
}

/** A deadline for one stream of several that may be tried, until its first token has arrived. */
export interface FirstTokenLimit extends Pick<DeadlineContext, 'context' | 'race'> {
  /** From now on, only the deadline that it was made from holds. */
  arrived(): void;
  /** The stream is over. */
  release(): void;
}

/** @param name The provider, for messages. */
export function limitFirstToken(deadline: DeadlineContext, milliseconds: number, name: string): FirstTokenLimit {
  const { context } = deadline;
  const controller = new AbortController();
  const expired = Promise.withResolvers<never>();
  // Nothing may be waiting when it expires.
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
