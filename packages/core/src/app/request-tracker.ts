import { longestTimer } from './longest-timer.ts';

/** The requests under way in one app. */
export class RequestTracker {
  readonly #requests = new Set<{ readonly onAbort: ((reason: unknown) => void) | undefined }>();
  #onIdle: (() => void) | undefined;

  track(onAbort?: (reason: unknown) => void): { done(): void } {
    const request = { onAbort };
    this.#requests.add(request);
    return {
      done: () => {
        this.#requests.delete(request);
        if (this.#requests.size === 0) this.#onIdle?.();
      },
    };
  }

  abort(reason: unknown): void {
    for (const { onAbort } of this.#requests) onAbort?.(reason);
  }

  /** Resolves when no request is under way, or after `timeoutMs`. The timer keeps the process alive until then. */
  async idle(timeoutMs: number): Promise<void> {
    if (this.#requests.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.min(timeoutMs, longestTimer));
    this.#onIdle = resolve;
    await promise;
    clearTimeout(timer);
  }
}
