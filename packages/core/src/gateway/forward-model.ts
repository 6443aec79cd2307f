import type { ForwardedResponse, ForwardOutcome } from '@patchbay/contracts/forward';
import { forwardedHeaders } from '@patchbay/outbound/provider-kit/forwarded-headers';
import type { ForwardedWhole, MeteredForwardRequest, MeteredProvider } from '../usage/metered-forward.ts';
import type { ModelCall } from './attempt.ts';
import { limitSilence } from './deadline.ts';
import type { CatalogModel } from './model-catalog.ts';
import type { OriginalReader, OriginalRequest } from './original-request.ts';

/** Request headers that vendors receive. Those of an organization or project would decide who pays. */
const requestHeaders = ['anthropic-version', 'anthropic-beta', 'openai-beta'] as const;

/** The head of a response, and its reader. */
export interface ForwardedHead extends Omit<ForwardedResponse, 'body'> {
  readonly reader: OriginalReader;
}

/** Whether a request reaches this model as it was sent. */
export function isForwarded(provider: MeteredProvider, { info }: CatalogModel, original: OriginalRequest): boolean {
  const { dialect, texts = 1, isOurs } = original;
  if (isOurs || !provider.forwardWhole || !info.dialects?.includes(dialect)) return false;
  // More texts than the vendor accepts at once must be split, which only the gateway does.
  return texts <= (info.embedBatch ?? 1) || dialect !== 'openai-embeddings';
}

/** Forward a request to a model once, and wait for the complete response. */
export async function forwardWhole(
  provider: MeteredProvider,
  original: OriginalRequest,
  { model, deadline }: ModelCall,
): Promise<ForwardedWhole> {
  const response = await provider.forwardWhole?.(
    requestFor(original, model, original.createReader()),
    deadline.context,
  );
  if (!response) throw notForwarding(model);
  // Its reader has read it as JSON. Clients read it by its type, and some servers send none, or another.
  return { ...response, headers: { ...shown(response.headers), 'content-type': 'application/json' } };
}

/**
 * Forward a request for a stream to a model once, and yield the bytes of the response: all bytes before the first
 * output are yielded together with it, so that another model can take over until then.
 *
 * @param begun Receives the head of the response before its first bytes.
 */
export async function* forwardStream(
  provider: MeteredProvider,
  original: OriginalRequest,
  { model, meter, deadline, silence }: ModelCall,
  begun: (head: ForwardedHead) => void,
): AsyncGenerator<Uint8Array, ForwardOutcome> {
  const limit = limitSilence(deadline, silence, model.provider);
  const reader = original.createReader();
  const pending = provider.forwardStream?.(requestFor(original, model, reader), limit.context);
  if (!pending) throw notForwarding(model);
  let pieces: AsyncIterator<Uint8Array> | undefined;
  let held: Uint8Array[] | undefined = [];
  /** Bytes of the output that another model could continue; undefined before the first, and -1 if none can. */
  let outputBytes: number | undefined;
  const noteOutput = (): void => {
    const isContinuable = silence.pauseMs !== undefined && reader.resumePoint !== undefined;
    const bytes = isContinuable ? reader.outcome.outputBytes : -1;
    if (bytes === outputBytes) return;
    outputBytes = bytes;
    limit.arrived(isContinuable);
  };
  const take = (bytes: Uint8Array): Uint8Array => {
    if (reader.failure && !reader.hasOutput) throw reader.failure;
    if (reader.hasOutput) noteOutput();
    if (!held) return bytes;
    held.push(bytes);
    if (!reader.hasOutput) return nothing;
    const all = Buffer.concat(held);
    held = undefined;
    meter.firstToken();
    return all;
  };
  try {
    const { headers, pieces: body, ...head } = await limit.race(pending);
    pieces = body[Symbol.asyncIterator]();
    begun({ ...head, headers: shown(headers), reader });
    for (let step = await limit.race(pieces.next()); !step.done; step = await limit.race(pieces.next())) {
      const bytes = take(reader.push(step.value));
      if (bytes.length > 0) yield bytes;
      if (reader.failure) throw reader.failure;
    }
    const outcome = reader.end();
    const last = take(reader.flush());
    const rest = held ? Buffer.concat(held) : last;
    if (rest.length > 0) yield rest;
    return outcome;
  } catch (error) {
    // Another model continues after everything that was read, so the caller must have it.
    const last = held ? nothing : reader.flush();
    if (last.length > 0) yield last;
    // A response that is not one has failed; its caller has not left it.
    if (!limit.context.signal.aborted) pieces?.throw?.(error).catch(() => undefined);
    throw error;
  } finally {
    limit.release();
    if (pieces) close(pieces);
    else pending.then(({ pieces: body }) => close(body[Symbol.asyncIterator]())).catch(() => undefined);
  }
}

function requestFor(
  original: OriginalRequest,
  { info: { name } }: CatalogModel,
  reader: OriginalReader,
): MeteredForwardRequest {
  const { dialect, stream, header, inputTokens, maxTokens, choices, priceFactor } = original;
  const headers: Record<string, string> = {};
  for (const each of requestHeaders) {
    const value = header(each);
    if (value !== undefined) headers[each] = value;
  }
  const plan = { inputTokens, maxTokens, choices, priceFactor };
  return { dialect, model: name, body: original.bodyFor(name), headers, stream, reader, plan };
}

const notForwarding = ({ id }: CatalogModel): Error =>
  new Error(`${id} is listed with dialects, but its provider does not forward`);

const shown = (headers: ForwardedResponse['headers']) => forwardedHeaders((name) => headers[name]);

const nothing = new Uint8Array();

/** Not awaited: a hanging provider would delay the fallback. */
function close(pieces: AsyncIterator<Uint8Array>): void {
  pieces.return?.().catch(() => undefined);
}
