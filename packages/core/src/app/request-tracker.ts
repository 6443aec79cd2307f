import { longestTimer } from '../base/clock.ts';

/** The requests under way in one app. */
export class RequestTracker {
  readonly #requests = new Set<{ readonly onAbort: ((reason: unknown) => void) | undefined }>();
  #onIdle: (() => void) | undefined;
  readonly #drains = new Set<{ readonly rest: Set<unknown>; readonly drained: () => void }>();

  get size(): number {
    return this.#requests.size;
  }

  track(onAbort?: (reason: unknown) => void): { done(): void } {
    const request = { onAbort };
    this.#requests.add(request);
    return {
      done: () => {
        this.#requests.delete(request);
        if (this.#requests.size === 0) this.#onIdle?.();
        if (this.#drains.size > 0) this.#leaveDrains(request);
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

  /** Resolves when everything that is under way now has ended, whatever begins meanwhile. */
  async drained(): Promise<void> {
    if (this.#requests.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#drains.add({ rest: new Set(this.#requests), drained: resolve });
    await promise;
  }

  #leaveDrains(request: unknown): void {
    for (const drain of this.#drains) {
      drain.rest.delete(request);
      if (drain.rest.size > 0) continue;
      this.#drains.delete(drain);
      drain.drained();
    }
  }
}
