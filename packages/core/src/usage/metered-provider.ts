import type { RequestContext } from '@patchbay/contracts/context';
import type { ChatDelta, ChatRequest, ChatResult, EmbedRequest, Provider, Usage } from '@patchbay/contracts/provider';
import type { Attributes } from '@patchbay/contracts/telemetry';
import { estimateTokens, estimateUsage } from '@patchbay/outbound/provider-kit/estimate-usage';
import { checkTokens, checkUsage } from '@patchbay/outbound/provider-kit/provider-result';
import { answerAttributes, openSpan, requestAttributes, usageAttributes } from '../telemetry/call-span.ts';
import { type Measuring, noSpan } from '../telemetry/measuring.ts';
import { type MeteredProvider, meteredForward } from './metered-forward.ts';
import { type Metering, type OpenCall, openCall, type PlannedCall } from './open-call.ts';
import { noUsage } from './usage-ledger.ts';

/**
 * A provider whose calls are reserved beforehand and recorded in the ledger afterwards, even if the code of a function
 * makes them on behalf of its caller. Failed calls count as well. Their usage is unknown, and counts as 0, unless the
 * gateway gave up on a running request: vendors bill for that, so its input is estimated. Impossible numbers are a
 * failure: a single entry that no storage accepts would keep all later ones out of the ledger.
 */
export function meterProvider(name: string, provider: Provider, metering: Metering): MeteredProvider {
  const stream = provider.stream?.bind(provider);
  const embed = provider.embed?.bind(provider);
  const forward = provider.forward?.bind(provider);
  const open = (request: ChatRequest | EmbedRequest, context: RequestContext) =>
    openCall(metering, planned(request), context);
  const { measuring } = metering;

  return {
    ...(provider.off !== undefined && { off: provider.off }),
    models: () => provider.models(),

    chat(request, context) {
      const ask = (call: OpenCall): Promise<ChatResult> => {
        const attributes = measuring.hasSpans ? { ...call.attributes, ...requestAttributes(request) } : call.attributes;
        return measuring.span(`chat ${request.model}`, attributes, async (span) => {
          try {
            const result = await provider.chat(request, context);
            checkUsage(result.usage, name);
            call.end('completed', result.usage);
            if (measuring.hasSpans) span.set(answerAttributes(result));
            return result;
          } catch (error) {
            throw call.failed(error);
          }
        });
      };
      const opening = open(request, context);
      return opening instanceof Promise ? opening.then(ask) : ask(opening);
    },

    ...(stream && {
      stream: (request: ChatRequest, context: RequestContext) =>
        meteredStream(
          () => open(request, context),
          () => stream(request, context),
          { request, name, measuring },
        ),
    }),

    ...(embed && {
      async embed(request: EmbedRequest, context: RequestContext) {
        const call = await open(request, context);
        return await measuring.span(`embeddings ${request.model}`, call.attributes, async (span) => {
          try {
            const result = await embed(request, context);
            checkTokens(result.tokens, name);
            const usage = { ...noUsage, uncachedInputTokens: result.tokens };
            call.end('completed', usage);
            span.set(usageAttributes(usage));
            return result;
          } catch (error) {
            throw call.failed(error);
          }
        });
      },
    }),

    ...(forward && meteredForward(name, forward, metering)),
  };
}

async function* meteredStream(
  open: () => OpenCall | Promise<OpenCall>,
  start: () => AsyncIterable<ChatDelta | readonly ChatDelta[]>,
  { request, name, measuring }: { readonly request: ChatRequest; readonly name: string; readonly measuring: Measuring },
): AsyncGenerator<readonly ChatDelta[]> {
  const call = await open();
  let bytes = 0;
  let used: Attributes = {};
  const spanOf = (attributes: Attributes) => openSpan(measuring, `chat ${request.model}`, attributes, () => used);
  // Without spans, their attributes are not computed.
  const span = measuring.hasSpans ? spanOf({ ...call.attributes, ...requestAttributes(request) }) : noSpan;
  try {
    for await (const arrived of span.within(() => begun(start()))) {
      call.firstChunk();
      const deltas = 'type' in arrived ? [arrived] : arrived;
      for (const delta of deltas) if ('text' in delta) bytes += Buffer.byteLength(delta.text);
      const last = deltas.at(-1);
      if (last?.type !== 'finish') {
        yield deltas;
        continue;
      }
      // Its caller receives what came before a bad end.
      if (deltas.length > 1) yield deltas.slice(0, -1);
      checkUsage(last.usage, name);
      if (measuring.hasSpans) used = answerAttributes(last);
      call.end('completed', last.usage);
      yield [last];
    }
  } catch (error) {
    span.failed(error);
    throw call.failed(error, bytes);
  } finally {
    span.over();
    // The tokens until then were generated, and are billed.
    call.cut(bytes);
  }
}

/**
 * The same pieces, the first of them requested immediately, so that its request belongs to the span that is open now.
 */
function begun<T>(pieces: AsyncIterable<T>): AsyncIterable<T> {
  const iterator = pieces[Symbol.asyncIterator]();
  let first: Promise<IteratorResult<T>> | undefined = iterator.next();
  // The iteration throws it.
  first.catch(() => undefined);
  const next = (): Promise<IteratorResult<T>> => {
    const answer = first ?? iterator.next();
    first = undefined;
    return answer;
  };
  const end = iterator.return?.bind(iterator);
  return { [Symbol.asyncIterator]: () => ({ next, ...(end && { return: end }) }) };
}

/** A chat or an embedding, as far as it counts. */
function planned(request: ChatRequest | EmbedRequest): PlannedCall {
  const { model } = request;
  if (!('texts' in request)) {
    const usageOf = (bytes: number): Usage => ({ ...estimateUsage(request, ''), outputTokens: Math.ceil(bytes / 4) });
    return { operation: 'chat', model, maxTokens: request.maxTokens, usageOf };
  }
  const usageOf = (): Usage => {
    const uncachedInputTokens = request.texts.reduce((sum, text) => sum + estimateTokens(text), 0);
    return { ...noUsage, uncachedInputTokens, estimated: true };
  };
  return { operation: 'embeddings', model, usageOf };
}
