import { longestTimer } from '@patchbay/contracts/base/clock';
import type { Logger, OpenRequestContext, Principal, RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { AppHost } from './app.ts';

export interface RequestContextOptions {
  readonly app: { readonly host: Pick<AppHost, 'clock' | 'logger' | 'track'> };
  readonly caller: Principal;
  readonly requestId: string;
  readonly remoteAddress?: string | undefined;
  /** Aborts when the client disconnects. A transport without a signal calls `abort` instead, which costs less. */
  readonly signal?: AbortSignal;
  /** Epoch milliseconds after which the caller no longer waits for the response. */
  readonly deadline?: number;
  readonly trace?: RequestContext['trace'];
  /** Default: the app's, with the request id on every line. */
  readonly logger?: Logger;
}

/**
 * Open the context of one request, for hosts that call services directly or bring their own transport.
 *
 * Its `signal` aborts when the client disconnects, the deadline passes or the app's drain deadline passes, whichever is
 * first. It is combined by hand: `AbortSignal.any` costs several times as much as everything else here, and leaves work
 * for the garbage collector if one of the sources lives for as long as the app.
 *
 * @example
 * ```ts
 * import { type App, createRequestContext, newId } from '@patchbay/core';
 *
 * async function firstNames(app: App, token: string) {
 *   const caller = await app.services.authenticate({ token });
 *   const context = createRequestContext({ app, caller, requestId: newId('request') });
 *   try {
 *     const page = await app.services.functions.list({ limit: 20, offset: 0, sort: 'createdAt', order: 'desc' }, context);
 *     return page.rows.map((row) => row.name);
 *   } finally {
 *     context.close();
 *   }
 * }
 * ```
 */
export function createRequestContext(options: RequestContextOptions): OpenRequestContext {
  const { app, requestId, caller, remoteAddress, signal: client, deadline, trace } = options;
  const { host } = app;
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let over = false;

  const release = () => {
    over = true;
    if (timer !== undefined) clearTimeout(timer);
    client?.removeEventListener('abort', clientLeft);
  };
  const abort = (reason: unknown) => {
    if (over) return;
    release();
    controller.abort(reason);
  };
  const clientLeft = () => abort(client?.reason);
  const deadlinePassed = () => abort(new DOMException('The deadline of the request has passed', 'TimeoutError'));
  const tracked = host.track(abort);

  if (client?.aborted) clientLeft();
  else client?.addEventListener('abort', clientLeft);
  if (deadline !== undefined && !over) {
    const rest = deadline - host.clock.now();
    if (rest > 0) timer = setTimeout(deadlinePassed, Math.min(rest, longestTimer));
    else deadlinePassed();
  }

  return {
    requestId,
    caller,
    signal: controller.signal,
    logger: options.logger ?? bindLogger(host.logger, { requestId }),
    ...(remoteAddress !== undefined && { remoteAddress }),
    ...(deadline !== undefined && { deadline }),
    ...(trace !== undefined && { trace }),
    abort: (reason) => abort(reason ?? new PatchbayError('client_closed_request', 'the client closed the connection')),
    close() {
      release();
      tracked.done();
    },
  };
}

/** The same logger with `fields` on every line. Fields of a line take precedence. */
export function bindLogger(logger: Logger, fields: object): Logger {
  return {
    debug: (message, more) => logger.debug(message, { ...fields, ...more }),
    info: (message, more) => logger.info(message, { ...fields, ...more }),
    warn: (message, more) => logger.warn(message, { ...fields, ...more }),
    error: (message, more) => logger.error(message, { ...fields, ...more }),
  };
}

export class RequestTracker {
  readonly #requests = new Set<{ onAbort: ((reason: unknown) => void) | undefined }>();
  #onIdle: (() => void) | undefined;
  readonly #drains = new Set<{ readonly rest: Set<unknown>; readonly drained: () => void }>();

  #isClosed = false;

  get size(): number {
    return this.#requests.size;
  }

  /** Count a request as in progress until `done` is called. */
  track(onAbort?: (reason: unknown) => void): { done(): void } {
    const request: { onAbort: typeof onAbort } = { onAbort };
    this.#requests.add(request);
    return {
      done: () => {
        this.#requests.delete(request);
        // Former tables of a set keep their entries, and refer to the later ones: one that was promoted would keep all requests.
        request.onAbort = undefined;
        if (this.#requests.size === 0) this.#onIdle?.();
        if (this.#drains.size > 0) this.#leaveDrains(request);
      },
    };
  }

  /** From now on, `enter` refuses requests. */
  close(): void {
    this.#isClosed = true;
  }

  /** As `track`, for a request that begins. @throws PatchbayError `shutting_down` once requests are refused. */
  readonly enter = (onAbort?: (reason: unknown) => void): { done(): void } => {
    if (!this.#isClosed) return this.track(onAbort);
    throw new PatchbayError('shutting_down', 'the server is shutting down');
  };

  abort(reason: unknown): void {
    for (const { onAbort } of this.#requests) onAbort?.(reason);
  }

  /** Resolves when no request is in progress, or after `timeoutMs`. The timer keeps the process alive until then. */
  async idle(timeoutMs: number): Promise<void> {
    if (this.#requests.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.min(timeoutMs, longestTimer));
    this.#onIdle = resolve;
    await promise;
    clearTimeout(timer);
  }

  /** Resolves when all requests that are in progress now have ended, regardless of later ones. */
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
