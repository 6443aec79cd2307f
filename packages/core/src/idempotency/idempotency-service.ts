import type { Principal } from '../contracts/context.ts';

/** A request that must not be run twice. */
export interface IdempotentRequest {
  readonly caller: Principal;
  /** Method and path: the same key on another endpoint is another key. */
  readonly endpoint: string;
  /** 1 to 255 visible ASCII characters, chosen by the caller. */
  readonly key: string;
  /** All that was asked for, as text. Only its hash is kept. */
  readonly request: string;
  /** Called where the caller cancels the request before its claim has ended. */
  readonly onCancel?: () => void;
}

/** What was answered, to be answered again. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** The right to run a request, and the duty to say what came of it. One of the three has to be called, once. */
export interface IdempotencyClaim {
  /** Characters of a body. An answer with more is not kept: the request counts as `lost`. */
  readonly maxBodyLength: number;
  /** It was run: from now on this is the answer, if it is not too long to be kept. */
  answered(answer: KeptAnswer): Promise<void>;
  /** Nothing was done: the next request with the key is run. */
  release(): Promise<void>;
  /** It was run, at least in part, and nobody knows what came of it. */
  lost(): Promise<void>;
}

/** Makes sure that requests with a key are run once, whatever happens in between. */
export interface IdempotencyService {
  /**
   * Claim a key, or find what was answered to it. A claim is on disk before it is returned, so that not even a crash
   * leads to a second run.
   *
   * @throws PatchbayError `idempotency_in_progress`, `idempotency_key_reused`, `idempotency_answer_lost`,
   *   `storage_unavailable`.
   */
  begin(request: IdempotentRequest): Promise<{ readonly kept: KeptAnswer } | { readonly claim: IdempotencyClaim }>;
  /**
   * Cancel the requests of this caller with this key that are under way, at any endpoint. Other processes on the storage
   * are notified, where it has signals.
   *
   * @returns How many there were in this process.
   */
  cancel(caller: Principal, key: string): number;
}
