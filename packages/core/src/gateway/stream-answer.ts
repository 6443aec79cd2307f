import { PatchbayError } from '../contracts/errors.ts';
import type { ChatDelta, ChatRequest, ChatResult, Provider } from '../contracts/provider.ts';
import { providerError } from '../contracts/provider-error.ts';
import { checkChatResult } from '../usage/call-cost.ts';
import { type DeadlineContext, type FirstTokenLimit, limitFirstToken } from './deadline.ts';
import type { CallMeter } from './deployments.ts';
import { asProviderFailure } from './fault-policy.ts';

/** A stream whose first output is there. */
export interface CommittedStream {
  /** Pieces of text, then the result. Throws where the stream fails; ending the iteration closes the socket. */
  events(): AsyncGenerator<{ readonly delta: string } | { readonly result: ChatResult }>;
}

/** What an answer is made of; pieces of a call are of use to nobody here. */
type WholeDelta = Exclude<ChatDelta, { readonly type: 'tool-arguments' }>;

/**
 * Open a stream and wait for its first output: its commit point. What fails until then can be tried elsewhere; what
 * fails later has to be told to the caller, who already has a part of the answer.
 */
export async function openStream(
  provider: Provider,
  name: string,
  request: ChatRequest,
  deadline: DeadlineContext,
  meter: CallMeter,
  firstTokenMs: number,
): Promise<CommittedStream> {
  const limit = limitFirstToken(deadline, firstTokenMs, name);
  const iterator = deltas(provider, request, limit)[Symbol.asyncIterator]();
  // A provider without streams responds when it is done.
  if (!provider.stream) limit.arrived();
  let isAwaited = false;
  const read = async (): Promise<WholeDelta> => {
    for (;;) {
      isAwaited = true;
      const { done, value } = await limit.race(iterator.next());
      isAwaited = false;
      if (done) throw providerError('bad_response', `the stream of ${name} ended before the answer was complete`);
      if (value.type !== 'text' || value.text !== '') limit.arrived();
      if (value.type !== 'tool-arguments') return value;
    }
  };
  const close = async (): Promise<void> => {
    await iterator.return?.(undefined);
  };
  let first: WholeDelta;
  try {
    first = await read();
    while (first.type === 'text' && first.text === '') first = await read();
  } catch (error) {
    // Not awaited: a provider that hangs would keep the next model from being asked.
    close().catch(() => undefined);
    limit.release();
    throw error;
  }
  meter.firstToken();
  const { signal } = deadline.context;
  // Here and not where the events are read: nobody may ever do so, because the caller can leave right now. A model is to
  // blame for the end of the time only where it was the one to be waited for.
  const onAbort = (): void => {
    if (isAwaited && deadline.blamesModel && isTimeout(signal.reason)) meter.failed(signal.reason);
    else meter.abandoned();
  };
  signal.addEventListener('abort', onAbort, { once: true });

  return {
    async *events() {
      let content = '';
      const toolCalls: ChatResult['toolCalls'][number][] = [];
      try {
        for (let next = first; ; next = await read()) {
          if (next.type === 'text') {
            content += next.text;
            if (next.text !== '') yield { delta: next.text };
          } else if (next.type === 'tool-call') toolCalls.push(next.toolCall);
          else {
            const { type: _, ...end } = next;
            const result = checkChatResult({ content, toolCalls, ...end }, name);
            meter.succeeded(result.usage.outputTokens);
            yield { result };
            return;
          }
        }
      } catch (error) {
        if (!signal.aborted) meter.failed(asProviderFailure(error, name));
        throw PatchbayError.is(error) ? error : asProviderFailure(error, name);
      } finally {
        meter.abandoned();
        limit.release();
        deadline.close();
        close().catch(() => undefined);
      }
    },
  };
}

/** Not a generator itself: each that a piece goes through costs as much as to make the piece. */
function deltas(provider: Provider, request: ChatRequest, limit: FirstTokenLimit): AsyncIterable<ChatDelta> {
  return provider.stream ? provider.stream(request, limit.context) : inOnePiece(provider, request, limit);
}

async function* inOnePiece(
  provider: Provider,
  request: ChatRequest,
  { context }: FirstTokenLimit,
): AsyncGenerator<ChatDelta> {
  const { content, toolCalls, ...end } = await provider.chat(request, context);
  yield { type: 'text', text: content };
  for (const toolCall of toolCalls) yield { type: 'tool-call', toolCall };
  yield { type: 'finish', ...end };
}

const isTimeout = (error: unknown): error is PatchbayError =>
  PatchbayError.is(error) && error.upstream?.kind === 'timeout';
