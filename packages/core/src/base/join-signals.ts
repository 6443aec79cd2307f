/** A signal that is aborted with any of several others. */
export interface JoinedSignals {
  readonly signal: AbortSignal;
  /** Let go of the others: the work is over, whatever becomes of them. Call it in a `finally`. */
  readonly release: () => void;
}

/**
 * Join signals one of which may live as long as the process: `AbortSignal.any` leaves something with that one for every
 * signal that it makes, for good where somebody has not taken a listener off.
 *
 * @example
 * ```ts
 * import { joinSignals } from '@patchbay/core/plugin';
 *
 * const stopping = new AbortController();
 *
 * export async function ask(url: string, caller: AbortSignal): Promise<string> {
 *   const { signal, release } = joinSignals(caller, stopping.signal);
 *   try {
 *     return await (await fetch(url, { signal })).text();
 *   } finally {
 *     release();
 *   }
 * }
 * ```
 */
export function joinSignals(...signals: readonly AbortSignal[]): JoinedSignals {
  const controller = new AbortController();
  const release = (): void => {
    for (const signal of signals) signal.removeEventListener('abort', onAbort);
  };
  const onAbort = (): void => {
    release();
    controller.abort(signals.find(({ aborted }) => aborted)?.reason);
  };
  for (const signal of signals) signal.addEventListener('abort', onAbort);
  if (signals.some(({ aborted }) => aborted)) onAbort();
  return { signal: controller.signal, release };
}
