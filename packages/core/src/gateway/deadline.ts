import type { Clock } from '@patchbay/contracts/clock';
import type { RequestContext } from '@patchbay/contracts/context';
import { providerError } from '@patchbay/contracts/provider-error';
import { type NotedContext, openNotes } from '../usage/call-records.ts';
import type { CatalogModel } from './model-catalog.ts';

/** A context that ends at its deadline, or with its parent. */
export interface DeadlineContext {
  readonly context: NotedContext;
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
  /** Rejects the races in progress, without a listener on the signal for each, which would cost more. */
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
    context: { ...parent, signal, deadline, notes: openNotes(clock) },
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

/** The silence of a stream, in milliseconds, after which another model takes over. */
export interface FallbackAfter {
  readonly fallbackAfterMs: number;
  /** For models that reason, which are silent meanwhile. */
  readonly reasoningFallbackAfterMs: number;
}

export const defaultFallbackAfter: FallbackAfter = { fallbackAfterMs: 12_000, reasoningFallbackAfterMs: 120_000 };

/** Without another model there is no reason to give up early. */
const LAST_FIRST_TOKEN_MS = 300_000;

/** How long a stream may be silent, in milliseconds. */
export interface SilenceLimits {
  readonly firstTokenMs: number;
  /** Between two pieces, while another model could continue. Default: the timeouts of the provider apply. */
  readonly pauseMs?: number;
}

/** @param isLast No other model can take over. */
export function silenceLimits(
  { info }: Pick<CatalogModel, 'info'>,
  isLast: boolean,
  after: FallbackAfter,
): SilenceLimits {
  if (isLast) return { firstTokenMs: LAST_FIRST_TOKEN_MS };
  const isReasoning = info.capabilities.includes('reasoning');
  const pauseMs = isReasoning ? after.reasoningFallbackAfterMs : after.fallbackAfterMs;
  return { firstTokenMs: pauseMs, pauseMs };
}

/** The same limits without one for pauses, if no other model continues a stream. */
export const patient = ({ firstTokenMs }: SilenceLimits): SilenceLimits => ({ firstTokenMs });

/** The limits of one call of a model that streams. */
export interface SilenceLimit extends Pick<DeadlineContext, 'context' | 'race'> {
  /**
   * Output has arrived: the first token is no longer awaited, and a pause is over. Comments do not count as output.
   *
   * @param isContinuable Another model could continue all output so far.
   */
  arrived(isContinuable: boolean): void;
  /** The stream is over. */
  release(): void;
}

/** @param name The provider, for messages. */
export function limitSilence(
  deadline: DeadlineContext,
  { firstTokenMs, pauseMs }: SilenceLimits,
  name: string,
): SilenceLimit {
  const { context } = deadline;
  const controller = new AbortController();
  const { signal } = controller;
  let lose: (reason: unknown) => void = () => undefined;
  let isFirst = true;
  /** Time left in the pause since the last output. */
  let leftMs: number | undefined;
  let pause: NodeJS.Timeout | undefined;
  let expiring: NodeJS.Immediate | undefined;

  const expire = (what: string, ms: number): void => {
    controller.abort(providerError('timeout', `${name} sent ${what} within ${ms} ms`));
    lose(signal.reason);
  };
  // After a pause of this process, timers run before sockets are read: output may have arrived in time.
  const ring = (what: string, ms: number): void => {
    expiring = setImmediate(expire, what, ms);
  };
  const follow = (): void => {
    controller.abort(context.signal.reason);
    lose(signal.reason);
  };
  const timer = setTimeout(ring, firstTokenMs, 'no first token', firstTokenMs);
  if (context.signal.aborted) follow();
  else context.signal.addEventListener('abort', follow, { once: true });

  /** A pause lasts while the model is awaited: a caller that reads slowly causes none. */
  const limited = <T>(work: Promise<T>, ms: number): Promise<T> => {
    const began = performance.now();
    pause = setTimeout(ring, ms, 'nothing more', pauseMs ?? 0);
    return work.finally(() => {
      clearTimeout(pause);
      clearImmediate(expiring);
      leftMs = Math.max(0, ms - (performance.now() - began));
    });
  };

  return {
    context: { ...context, signal },
    race: (work) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) reject(signal.reason);
        lose = reject;
        (leftMs === undefined ? work : limited(work, leftMs)).then(resolve, reject);
      }),
    arrived(isContinuable) {
      if (isFirst) {
        clearTimeout(timer);
        clearImmediate(expiring);
      }
      isFirst = false;
      leftMs = isContinuable ? pauseMs : undefined;
    },
    release() {
      clearTimeout(timer);
      clearTimeout(pause);
      clearImmediate(expiring);
      context.signal.removeEventListener('abort', follow);
    },
  };
}
