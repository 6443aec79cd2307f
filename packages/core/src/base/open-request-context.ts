import type { RequestContext } from '../contracts/context.ts';

/** A request context together with what its transport does to it. Plugins see the `RequestContext` only. */
export interface OpenRequestContext extends RequestContext {
  /** The client left. Default reason: `client_closed_request`. */
  abort(reason?: unknown): void;
  /** The answer is out: releases timers and listeners, and lets `App.host.stop` go on. Call it in a `finally`. */
  close(): void;
}
