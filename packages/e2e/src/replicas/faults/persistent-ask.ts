import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, ask } from '../../driver/server-process.ts';

/** Codes that are independent of the request: a retry may succeed. */
const passing = new Set([
  'executor_unavailable',
  'idempotency_in_progress',
  'overloaded',
  'shutting_down',
  'storage_unavailable',
]);

const PATIENCE_MS = 60_000;
const PAUSE_MS = 50;

export type Ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

/**
 * Ask until there is an answer that decides something. For requests that may be sent more than once.
 *
 * @throws Error when there is none for a minute.
 */
export function persistent(api: { readonly url: string }, onRetry: () => void): Ask {
  return async (...request) => {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const answer = await ask(api, ...request).catch((error: unknown) => String(error));
      if (typeof answer === 'object' && !passing.has(String(answer.body['code']))) return answer;
      if (performance.now() > deadline) {
        const last = typeof answer === 'string' ? answer : JSON.stringify(answer.body);
        throw new Error(`${request[0]} ${request[1]} has had no answer for a minute; the last one: ${last}`);
      }
      onRetry();
      await delay(PAUSE_MS);
    }
  };
}
