import { setTimeout as pause } from 'node:timers/promises';
import { APIError, type Client, type HttpReply, type HttpRequest } from '@patchbay/client';

/** An execution, as far as a run reads it. */
export interface EndedExecution {
  readonly id: string;
  readonly status: string;
  readonly functionVersion: number;
  readonly output?: unknown;
  readonly error?: { readonly code?: string; readonly message?: string };
  readonly durationMs?: number;
  readonly usage?: { readonly model?: string; readonly settingsVersion?: number };
}

interface Dependencies {
  readonly client: Pick<Client, 'request'>;
  /** Aborts when the run is interrupted. The server finishes what it has begun: the run requests it again. */
  readonly signal: AbortSignal;
}

/** Requests of a run to the server. */
export interface ServerCalls {
  /** POST, executed once per idempotency key. Waits as long as the server reports that it cannot do it now. */
  post(request: Pick<HttpRequest, 'path' | 'body' | 'headers'>, idempotencyKey: string): Promise<HttpReply>;
  /** Begin an asynchronous execution, with the timeout of one. @returns Its id. */
  execute(request: Pick<HttpRequest, 'path' | 'body'>, idempotencyKey: string): Promise<string>;
  /** Wait for the end of an execution. */
  endOf(execution: string): Promise<EndedExecution>;
  /** Billionths of a dollar. Null if it is not known. */
  costOf(call: string): Promise<number | null>;
}

const POLL_MS = 1_000;
/** A replica may learn of a call a moment later than the one that answered it. */
const RECORD_ATTEMPTS = 5;
const RECORD_WAIT_MS = 500;
const NANO = 1_000_000_000;

export function createServerCalls({ client, signal }: Dependencies): ServerCalls {
  const read = async (path: string, headers = {}): Promise<HttpReply> =>
    await client.request({ method: 'GET', path, signal, headers });
  const calls: ServerCalls = {
    async post(request, idempotencyKey) {
      for (;;) {
        try {
          // Without the signal, which would cancel the work: it was paid for.
          return await client.request({ method: 'POST', ...request, idempotencyKey });
        } catch (error) {
          signal.throwIfAborted();
          const waitMs = waitFor(error);
          if (waitMs === undefined) throw error;
          await pause(waitMs, undefined, { signal });
        }
      }
    },

    async execute(request, idempotencyKey) {
      const { json } = await calls.post({ ...request, headers: { prefer: 'respond-async' } }, idempotencyKey);
      return (json as { readonly id: string }).id;
    },

    async endOf(execution) {
      const path = `/executions/${encodeURIComponent(execution)}`;
      for (;;) {
        const { stream } = await read(`${path}/logs`, { accept: 'text/event-stream' });
        // The stream ends with the execution.
        for await (const piece of stream ?? []) void piece;
        const found = (await read(path)).json as EndedExecution;
        if (found.status !== 'queued' && found.status !== 'running') return found;
        await pause(POLL_MS, undefined, { signal });
      }
    },

    async costOf(call) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          const { cost } = (await read(`/calls/${encodeURIComponent(call)}`)).json as CallRecord;
          return cost === null ? null : Math.round(Number(cost.amount) * NANO);
        } catch (error) {
          if (!(error instanceof APIError && error.code === 'call_not_found')) throw error;
          if (attempt === RECORD_ATTEMPTS) return null;
          await pause(RECORD_WAIT_MS, undefined, { signal });
        }
      }
    },
  };
  return calls;
}

/** There is no budget left, or too little. */
export const outOfBudget = 'quota_exceeded';

/** The server died while responding: what it did is unknown, and it will not do it again with the same key. */
export const isAnswerLost = (error: unknown): boolean =>
  error instanceof APIError && error.code === 'idempotency_answer_lost';

/** The key of the run was revoked, or has expired, before it could run. */
export const keyRevoked = 'key_revoked';

interface CallRecord {
  readonly cost: { readonly amount: string } | null;
}

/** Codes of a server that will accept the same request later. How to handle a spent budget is up to the run. */
const isBusy: ReadonlySet<unknown> = new Set([
  'idempotency_in_progress',
  'concurrency_limited',
  'rate_limited',
  'overloaded',
  'shutting_down',
]);

function waitFor(error: unknown): number | undefined {
  if (!(error instanceof APIError) || !isBusy.has(error.code)) return undefined;
  return (error.retryAfter ?? 1) * 1_000;
}
