import type { ApiClient, OperationName, RequestOf } from './api-client.ts';
import { ApiError, ConnectionLost } from './api-error.ts';
import type { ServerEvent } from './event-stream.ts';

const AGAIN_MS = 1_000;

/**
 * The events of an endless stream: if the server ends it, it is reopened after the last event. Ends
 * with a lost connection, and when the signal aborts.
 *
 * @throws ApiError for a request that the server refuses.
 */
export async function* followEvents<N extends OperationName>(
  api: ApiClient,
  name: N,
  request: RequestOf<N> & { readonly signal: AbortSignal },
): AsyncGenerator<ServerEvent> {
  const { signal } = request;
  let headers = request.headers ?? {};
  while (!signal.aborted) {
    try {
      for await (const event of api.events(name, { ...request, headers })) {
        if (event.id !== undefined) headers = { ...headers, 'last-event-id': event.id };
        yield event;
      }
    } catch (error) {
      if (signal.aborted || error instanceof ConnectionLost) return;
      if (error instanceof ApiError && error.status >= 400) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}
