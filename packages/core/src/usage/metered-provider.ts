import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../contracts/clock.ts';
import type { RequestContext } from '../contracts/context.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { ChatDelta, ChatRequest, EmbedRequest, ModelInfo, Provider, Usage } from '../contracts/provider.ts';
import type { UsageDimensions } from '../contracts/rows.ts';
import type { Attributes } from '../contracts/telemetry.ts';
import { countRefusal } from '../limits/request-limits.ts';
import { checkTokens, checkUsage, estimateTokens, estimateUsage } from '../provider-kit/token-usage.ts';
import type { Measuring } from '../telemetry/measuring.ts';
import {
  answerAttributes,
  errorTypeOf,
  modelAttributes,
  recordModelCall,
  requestAttributes,
  usageAttributes,
} from '../telemetry/model-measures.ts';
import { type CallEstimate, costNanoUsd, type Reservation } from './budgets.ts';
import { noUsage, type UsageMeter } from './usage-ledger.ts';

/** Assumed of an answer whose length neither the request nor the model limits. */
const DEFAULT_OUTPUT_TOKENS = 4_096;

/**
 * A provider whose calls are reserved before and recorded in the ledger after, also if the code of a function
 * makes them on behalf of its caller. Failed calls count as well. Their usage is unknown, and counts as 0, unless the gateway
 * gave up on a running request: vendors bill for that, so its input is estimated.
 * Impossible numbers are a failure: one entry that no storage takes would keep all that come after it from the ledger.
 */
export function meterProvider(name: string, provider: Provider, metering: Metering): Provider {
  const stream = provider.stream?.bind(provider);
  const embed = provider.embed?.bind(provider);
  const open = (request: ChatRequest | EmbedRequest, context: RequestContext) =>
    openCall(metering, name, request, context);
  const { measuring } = metering;

  return {
    ...(provider.off !== undefined && { off: provider.off }),
    models: () => provider.models(),

    async chat(request, context) {
      const call = await open(request, context);
      const attributes = { ...call.attributes, ...requestAttributes(request) };
      return await measuring.span(`chat ${request.model}`, attributes, async (span) => {
        try {
          const result = await provider.chat(request, context);
          checkUsage(result.usage, name);
          call.end('completed', result.usage);
          span.set(answerAttributes(result));
          return result;
        } catch (error) {
          throw call.failed(error);
        }
      });
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
  };
}

async function* meteredStream(
  open: () => Promise<OpenCall>,
  start: () => AsyncIterable<ChatDelta>,
  { request, name, measuring }: { readonly request: ChatRequest; readonly name: string; readonly measuring: Measuring },
): AsyncGenerator<ChatDelta> {
  const call = await open();
  let bytes = 0;
  const over = Promise.withResolvers<void>();
  let used: Attributes = {};
  // The span is open for as long as the stream is, and is not waited for.
  let within = <T>(work: () => T): T => work();
  const attributes = { ...call.attributes, ...requestAttributes(request) };
  const spanned = measuring.span(`chat ${request.model}`, attributes, async (span) => {
    within = AsyncLocalStorage.snapshot();
    await over.promise.finally(() => span.set(used));
  });
  spanned.catch(() => undefined);
  try {
    for await (const delta of within(() => begun(start()))) {
      call.firstChunk();
      if ('text' in delta) bytes += Buffer.byteLength(delta.text);
      if (delta.type === 'finish') {
        checkUsage(delta.usage, name);
        used = answerAttributes(delta);
        call.end('completed', delta.usage);
      }
      yield delta;
    }
  } catch (error) {
    over.reject(error);
    throw call.failed(error, bytes);
  } finally {
    over.resolve();
    // The tokens until then were made, and are paid for.
    call.cut(bytes);
  }
}

/** The same pieces, the first of them requested at once, so that its request belongs to the span that is open now. */
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

/** We gave up on a provider that had the request. */
function isProbablyBilled(error: unknown): boolean {
  return PatchbayError.is(error) && error.upstream?.kind === 'timeout' && !error.upstream.unsent;
}

function cutUsage(request: ChatRequest | EmbedRequest, bytes: number): Usage {
  if ('texts' in request) {
    const uncachedInputTokens = request.texts.reduce((sum, text) => sum + estimateTokens(text), 0);
    return { ...noUsage, uncachedInputTokens, estimated: true };
  }
  return { ...estimateUsage(request, ''), outputTokens: Math.ceil(bytes / 4) };
}

function estimateOf(
  request: ChatRequest | EmbedRequest,
  info: ModelInfo | undefined,
): Omit<CallEstimate, 'costNanoUsd'> {
  const inputTokens = cutUsage(request, 0).uncachedInputTokens;
  const outputTokens = 'texts' in request ? 0 : (request.maxTokens ?? info?.maxTokens ?? DEFAULT_OUTPUT_TOKENS);
  return { inputTokens, outputTokens };
}

export interface Metering {
  readonly meter: UsageMeter;
  readonly clock: Clock;
  /** @throws PatchbayError `quota_exceeded`, `rate_limited`. */
  readonly reserve: (context: RequestContext, estimate: CallEstimate) => Promise<Reservation>;
  readonly measuring: Measuring;
  /** Facts about a model of this provider. */
  readonly infoOf: (model: string) => ModelInfo | undefined;
}

/** One call of a model, which is reserved and not yet written down. Only its first end counts. */
interface OpenCall {
  readonly attributes: Attributes;
  end(outcome: UsageDimensions['outcome'], usage: Usage, error?: unknown): void;
  /** @returns the error. @param bytes What has arrived of the answer. */
  failed(error: unknown, bytes?: number): unknown;
  /** Its caller no longer waits for it. */
  cut(bytes: number): void;
  firstChunk(): void;
}

/**
 * Reserve a call before it is made.
 *
 * @throws PatchbayError as `reserve` does.
 */
async function openCall(
  { meter, clock, reserve, measuring, infoOf }: Metering,
  name: string,
  request: ChatRequest | EmbedRequest,
  context: RequestContext,
): Promise<OpenCall> {
  const { model } = request;
  const info = infoOf(model);
  const pricing = info?.pricing;
  const tokens = estimateOf(request, info);
  await meter.ready();
  const estimate = costNanoUsd(pricing, { ...noUsage, ...tokens, uncachedInputTokens: tokens.inputTokens });
  const reservation = await reserve(context, { ...tokens, costNanoUsd: estimate }).catch((error: unknown) => {
    countRefusal(error, measuring.count);
    throw error;
  });
  const attributes = modelAttributes('texts' in request ? 'embeddings' : 'chat', name, model);
  const startedAt = clock.monotonic();
  let over = false;
  let hasBegun = false;
  const end: OpenCall['end'] = (outcome, usage, error) => {
    if (over) return;
    over = true;
    const durationMs = clock.monotonic() - startedAt;
    const cost = costNanoUsd(pricing, usage);
    const errorType = outcome === 'completed' ? '' : outcome === 'cancelled' ? 'cancelled' : errorTypeOf(error);
    recordModelCall(measuring, { attributes, seconds: durationMs / 1_000, usage, costNanoUsd: cost, errorType });
    // Recorded first: what was spent is never neither reserved nor counted.
    meter.record(context, {
      kind: 'model',
      functionId: context.execution?.functionId ?? '',
      model: `${name}/${model}`,
      outcome,
      usage,
      costNanoUsd: cost,
      durationMs,
    });
    reservation.settle(totalTokens(usage));
  };
  const { signal } = context;
  return {
    attributes,
    end,
    failed(error, bytes = 0) {
      const used = bytes > 0 || isProbablyBilled(error) ? cutUsage(request, bytes) : noUsage;
      end(signal.aborted && !isTimeUp(signal) ? 'cancelled' : 'failed', used, error);
      return error;
    },
    // The caller did not want the rest, or the time was up.
    cut(bytes) {
      if (!over) end(isTimeUp(signal) ? 'failed' : 'cancelled', cutUsage(request, bytes), signal.reason);
    },
    firstChunk() {
      if (hasBegun) return;
      hasBegun = true;
      const seconds = (clock.monotonic() - startedAt) / 1_000;
      measuring.record('gen_ai.client.operation.time_to_first_chunk', seconds, attributes);
    },
  };
}

/** Aborted because the time was up that models have, and not by the caller. */
function isTimeUp({ reason }: AbortSignal): boolean {
  return PatchbayError.is(reason) && reason.upstream?.kind === 'timeout';
}

function totalTokens(usage: Usage): number {
  return usage.uncachedInputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens;
}
