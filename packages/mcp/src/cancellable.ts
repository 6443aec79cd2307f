import type { App } from '@patchbay/core';
import { joinSignals, type RequestContext } from '@patchbay/core/plugin';
import type { McpRequest } from './respond.ts';

/** The parts of a message that matter to cancellation. */
interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly requestId?: unknown };
}

interface Cancellable {
  /** With a signal that also aborts when the client cancels the request. */
  readonly context: RequestContext;
  /** Call it when the work has ended. */
  readonly release: () => void;
}

/**
 * Lets clients of older revisions cancel a call by `notifications/cancelled`. That is a separate request, so the session
 * id, the only part of a session that exists, shows which of several clients with one key sent it. Newer clients
 * close the connection.
 */
export function cancellable({ message, header, context }: McpRequest, { services: { idempotency } }: App): Cancellable {
  const { id, method, params } = message as Message;
  const session = header('mcp-session-id');
  if (session === undefined || session.length > 64) return { context, release: () => {} };
  const keyOf = (requestId: unknown) => `mcp ${session} ${JSON.stringify(requestId)}`;
  if (method === 'notifications/cancelled') idempotency.cancel(context.caller, keyOf(params?.requestId));
  if (method !== 'tools/call') return { context, release: () => {} };
  const cancelled = new AbortController();
  const { signal, release } = joinSignals(context.signal, cancelled.signal);
  const close = idempotency.open(context.caller, keyOf(id), () => cancelled.abort());
  return {
    context: { ...context, signal },
    release: () => {
      close();
      release();
    },
  };
}
