import type { ForwardedResponse, ForwardOutcome, ForwardReader } from '../contracts/forward.ts';
import { forwardedHeaders } from '../provider-kit/forwarded-headers.ts';
import type { MeteredProvider } from '../usage/metered-forward.ts';
import type { ModelCall } from './attempt.ts';
import { firstTokenMs, limitFirstToken } from './deadline.ts';
import type { CatalogModel } from './model-catalog.ts';
import type { OriginalRequest } from './original-request.ts';

/** Headers of requests that vendors receive. Those of an organization or project would choose who pays. */
const requestHeaders = ['anthropic-version', 'anthropic-beta', 'openai-beta'] as const;

/** The head of a response, and its reader. */
export interface ForwardedHead extends Omit<ForwardedResponse, 'body'> {
  readonly reader: ForwardReader;
}

/** Whether a request reaches this model as it was sent. */
export function isForwarded(provider: MeteredProvider, { info }: CatalogModel, original: OriginalRequest): boolean {
  const { dialect, texts = 1, isOurs } = original;
  if (isOurs || !provider.forward || !info.dialects?.includes(dialect)) return false;
  // More texts than the vendor takes at once are split, which only the gateway does.
  return texts <= (info.embedBatch ?? 1) || dialect !== 'openai-embeddings';
}

/**
 * Forward a request to a model once, and yield the bytes of the response: all those before the first output together with
 * it, so that until then another model can take over.
 *
 * @param begun Receives the head of the response before its first bytes.
 */
export async function* forwardToModel(
  provider: MeteredProvider,
  original: OriginalRequest,
  { model, meter, deadline, isLast }: ModelCall,
  begun: (head: ForwardedHead) => void,
): AsyncGenerator<Uint8Array, ForwardOutcome> {
  const { dialect, stream, header, inputTokens, maxTokens, choices, priceFactor } = original;
  const { name } = model.info;
  const limit = limitFirstToken(deadline, firstTokenMs(model, isLast), model.provider);
  if (!stream) limit.arrived();
  const reader = original.createReader();
  const plan = { inputTokens, maxTokens, choices, priceFactor };
  const passed = requestHeaders.flatMap((each) => {
    const value = header(each);
    return value === undefined ? [] : [[each, value] as const];
  });
  const request = { dialect, model: name, body: original.bodyFor(name), stream, reader, plan };
  const pending = provider.forward?.({ ...request, headers: Object.fromEntries(passed) }, limit.context);
  if (!pending) throw new Error(`${model.id} is listed with dialects, but its provider does not forward`);
  let pieces: AsyncIterator<Uint8Array> | undefined;
  try {
    const { status, headers: received, body } = await limit.race(pending);
    pieces = body[Symbol.asyncIterator]();
    begun({ status, headers: forwardedHeaders((each) => received[each]), reader });
    let held: Uint8Array[] | undefined = [];
    const take = (bytes: Uint8Array): Uint8Array => {
      if (reader.failure && !reader.hasOutput) throw reader.failure;
      if (!held) return bytes;
      held.push(bytes);
      if (!reader.hasOutput) return nothing;
      const all = Buffer.concat(held);
      held = undefined;
      limit.arrived();
      meter.firstToken();
      return all;
    };
    for (let step = await limit.race(pieces.next()); !step.done; step = await limit.race(pieces.next())) {
      const bytes = take(reader.push(step.value));
      if (bytes.length > 0) yield bytes;
      if (reader.failure) throw reader.failure;
    }
    const last = take(reader.flush());
    const outcome = reader.end();
    const rest = held ? Buffer.concat(held) : last;
    if (rest.length > 0) yield rest;
    return outcome;
  } finally {
    limit.release();
    if (pieces) close(pieces);
    else
      pending.then(
        ({ body }) => close(body[Symbol.asyncIterator]()),
        () => undefined,
      );
  }
}

const nothing = new Uint8Array();

/** Not awaited: a hanging provider would delay the fallback. */
function close(pieces: AsyncIterator<Uint8Array>): void {
  pieces.return?.().catch(() => undefined);
}
