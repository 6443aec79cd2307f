import { type App, outcomeOf, PatchbayError } from '@patchbay/core';
import type { Principal } from '@patchbay/core/plugin';
import { isKnown } from './output/problem.ts';
import { isFailure, isSnapshot, isStreamed, type Streamed, tellsFailure, type WireReply } from './output/wire.ts';
import type { IdempotencyClaim, KeptAnswer } from './service-types.ts';

/** A request with a key, and how it is run. */
export interface KeyedRequest {
  readonly caller: Principal;
  readonly key: string;
  readonly endpoint: string;
  /** The whole request, as text. */
  readonly request: string;
  /** Called if the caller cancels the request. */
  readonly onCancel: () => void;
  /** Whether the request only calls a model: then nothing remains of it once it has been ended. */
  readonly isModelCall: () => Promise<boolean>;
  /** Aborts when the client of a stream has left. */
  readonly signal: AbortSignal;
  /** Called once this request has claimed the key. */
  run(): Promise<WireReply>;
  /** The reply to a failure. */
  fail(error: unknown): WireReply;
}

/** Run a request with a key once, and reply to it as often as it is sent. */
export async function runOnce({ services: { idempotency } }: App, keyed: KeyedRequest): Promise<WireReply> {
  const begun = await idempotency.begin(keyed);
  if ('kept' in begun) return replay(begun.kept);
  const { claim } = begun;
  let reply: WireReply;
  try {
    reply = await keyed.run();
  } catch (error) {
    reply = keyed.fail(error);
    await settleFailure(claim, reply, error, keyed);
    return reply;
  }
  const { body } = reply;
  if (isStreamed(body)) return { ...reply, body: keepStream(reply, body, claim, keyed) };
  await claim.answered(keptOf(reply, body instanceof Uint8Array ? new TextDecoder().decode(body) : (body ?? null)));
  return reply;
}

async function settleFailure(
  claim: IdempotencyClaim,
  reply: WireReply,
  error: unknown,
  keyed: KeyedRequest,
): Promise<void> {
  const failure = isKnown(error) ? error : new PatchbayError('internal_error', '');
  // An aborted call may throw anything; the reply says why it was aborted.
  const outcome = reply.status === failure.status ? outcomeOf(failure) : 'lost';
  if (outcome === 'released') await claim.release();
  else if (outcome === 'lost') await settleCut(claim, keyed);
  else await claim.answered(keptOf(reply, typeof reply.body === 'string' ? reply.body : null));
}

/** The work was ended before there was a response. A model call leaves nothing behind that a second one could repeat. */
async function settleCut(claim: IdempotencyClaim, { signal, isModelCall }: KeyedRequest): Promise<void> {
  const isClientGone = isKnown(signal.reason) && signal.reason.code === 'client_closed_request';
  // A failed check must not keep the claim open.
  const isFree = isClientGone && (await isModelCall().catch(() => false));
  await (isFree ? claim.release() : claim.lost());
}

/**
 * A stream is kept as its text, without the pieces that its end repeats, and only while it is short enough
 * to be kept at all. A failed stream, or a model call that is cut off, can be sent again.
 */
function keepStream(reply: WireReply, stream: Streamed, claim: IdempotencyClaim, keyed: KeyedRequest): Streamed {
  let settled = false;
  const settle = async (tell: () => Promise<void>): Promise<void> => {
    if (settled) return;
    settled = true;
    await tell();
  };
  const cut = () => settle(() => settleCut(claim, keyed));
  // The stream may never be read: the client can have left already.
  keyed.signal.addEventListener('abort', () => void cut(), { once: true });

  async function* kept(): AsyncGenerator<string | Uint8Array> {
    const decoder = new TextDecoder();
    let text: string | undefined = '';
    let end: 'cut' | 'failed' | 'complete' = 'cut';
    let isForwarded = false;
    try {
      for await (const piece of stream) {
        if (text !== undefined && !isSnapshot(piece)) {
          text += typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
        }
        if (text !== undefined && text.length > claim.maxBodyLength) text = undefined;
        if (isFailure(piece)) end = 'failed';
        if (typeof piece !== 'string') isForwarded = true;
        yield piece;
      }
      if (end === 'cut') end = isForwarded && tellsFailure(text ?? '') ? 'failed' : 'complete';
    } finally {
      const whole = text;
      if (end === 'failed') await settle(() => claim.release());
      else if (end === 'cut') await cut();
      else await settle(() => (whole === undefined ? claim.lost() : claim.answered(keptOf(reply, whole))));
    }
  }
  return kept();
}

// Headers of every response are added to a replay again, with another request id.
const common = new Set(['Request-Id', 'X-Request-Id', 'Patchbay-Version', 'Cache-Control', 'X-Content-Type-Options']);

function keptOf({ status, headers }: WireReply, body: string | null): KeptAnswer {
  return { status, headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !common.has(name))), body };
}

function replay({ status, headers, body }: KeptAnswer): WireReply {
  return {
    status,
    headers: { ...headers, 'Idempotency-Replayed': 'true' },
    body: body ?? undefined,
    close: false,
  };
}
