import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../contracts/clock.ts';
import type { RequestContext } from '../contracts/context.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { ChatDelta, ChatRequest, EmbedRequest, ModelInfo, Provider, Usage } from '../contracts/provider.ts';
import type { UsageDimensions } from '../contracts/rows.ts';
import type { Attributes } from '../contracts/telemetry.ts';
import { checkTokens, checkUsage } from '../gateway/check-answer.ts';
import { estimateTokens, estimateUsage } from '../provider-kit/token-usage.ts';
import type { Measuring } from '../telemetry/app-telemetry.ts';
import { countRefusal } from '../telemetry/measured-limits.ts';
import {
  answerAttributes,
  errorTypeOf,
  type ModelOperation,
  modelAttributes,
  recordModelCall,
  requestAttributes,
  usageAttributes,
} from '../telemetry/model-measures.ts';
import { costNanoUsd } from './cost.ts';
import { noUsage, type UsageMeter } from './usage-meter.ts';

/** What a call may cost at most, to be set aside before it is made. */
export interface CallEstimate {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Null where no price is known. */
  readonly costNanoUsd: number | null;
}

/** What was set aside. */
export interface Reservation {
  /** The call has ended and used so many tokens. Only the first call counts. */
  settle(tokens: number): void;
}

export interface MeteringParts {
  readonly meter: UsageMeter;
  readonly clock: Clock;
  /** @throws PatchbayError `quota_exceeded`, `rate_limited`. */
  readonly reserve: (context: RequestContext, estimate: CallEstimate) => Promise<Reservation>;
  readonly measuring: Measuring;
  /** What is known of a model of this provider. */
  readonly infoOf: (model: string) => ModelInfo | undefined;
}

/** Assumed of an answer whose length neither the request nor the model limits. */
const DEFAULT_OUTPUT_TOKENS = 4_096;

/**
 * A provider whose every call is reserved before, and written into the ledger after it, whoever makes it: a request, or
 * the code of a function on behalf of its caller. Calls that fail count as well; what they used is not known, and so 0.
 * Impossible numbers are a failure: one entry that no storage takes would keep all that come after it from the ledger.
 */
export function meterProvider(name: string, provider: Provider, parts: MeteringParts): Provider {
  const stream = provider.stream?.bind(provider);
  const embed = provider.embed?.bind(provider);
  const open = (
    model: string,
    context: RequestContext,
    tokens: Omit<CallEstimate, 'costNanoUsd'>,
    operation: ModelOperation = 'chat',
  ) => openCall(parts, { name, model, operation }, context, tokens);
  const { measuring } = parts;

  return {
    ...(provider.off !== undefined && { off: provider.off }),
    models: () => provider.models(),

    async chat(request, context) {
      const call = await open(request.model, context, estimateOf(request, parts.infoOf(request.model)));
      const attributes = { ...call.attributes, ...requestAttributes(request) };
      return await measuring.span(`chat ${request.model}`, attributes, async (span) => {
        try {
          const result = await provider.chat(request, context);
          checkUsage(result.usage, name);
          call.end('completed', result.usage);
          span.set(answerAttributes(result));
          return result;
        } catch (error) {
          call.failed(error);
          throw error;
        }
      });
    },

    ...(stream && {
      stream: (request: ChatRequest, context: RequestContext) =>
        meteredStream(
          () => open(request.model, context, estimateOf(request, parts.infoOf(request.model))),
          () => stream(request, context),
          { request, name, measuring },
        ),
    }),

    ...(embed && {
      async embed(request: EmbedRequest, context: RequestContext) {
        const estimate = { inputTokens: estimateTokens(request.text), outputTokens: 0 };
        const call = await open(request.model, context, estimate, 'embeddings');
        return await measuring.span(`embeddings ${request.model}`, call.attributes, async (span) => {
          try {
            const result = await embed(request, context);
            checkTokens(result.tokens, name);
            const usage = { ...noUsage, uncachedInputTokens: result.tokens };
            call.end('completed', usage);
            span.set(usageAttributes(usage));
            return result;
          } catch (error) {
            call.failed(error);
            throw error;
          }
        });
      },
    }),
  };
}

interface OpenCall {
  readonly attributes: Attributes;
  end(outcome: UsageDimensions['outcome'], usage: Usage, error?: unknown): void;
  failed(error: unknown, used?: Usage): void;
  /** It was not waited for any more. */
  cut(used: Usage): void;
  firstChunk(): void;
}

async function openCall(
  { meter, clock, reserve, infoOf, measuring }: MeteringParts,
  { name, model, operation }: { readonly name: string; readonly model: string; readonly operation: ModelOperation },
  context: RequestContext,
  tokens: Omit<CallEstimate, 'costNanoUsd'>,
): Promise<OpenCall> {
  const pricing = infoOf(model)?.pricing;
  await meter.ready();
  const estimate = costNanoUsd(pricing, { ...noUsage, ...tokens, uncachedInputTokens: tokens.inputTokens });
  const reservation = await reserve(context, { ...tokens, costNanoUsd: estimate }).catch((error: unknown) => {
    countRefusal(error, measuring.count);
    throw error;
  });
  const attributes = modelAttributes(operation, name, model);
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
    failed: (error, used = noUsage) => end(signal.aborted && !isTimeUp(signal) ? 'cancelled' : 'failed', used, error),
    // Nobody wanted the rest, or there was no time for it.
    cut: (used) => end(isTimeUp(signal) ? 'failed' : 'cancelled', used, signal.reason),
    firstChunk() {
      if (hasBegun) return;
      hasBegun = true;
      const seconds = (clock.monotonic() - startedAt) / 1_000;
      measuring.record('gen_ai.client.operation.time_to_first_chunk', seconds, attributes);
    },
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
  // The span is open for as long as the stream is, and nobody waits for it.
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
      if (delta.type === 'text' || delta.type === 'tool-arguments') bytes += Buffer.byteLength(delta.text);
      if (delta.type === 'finish') {
        checkUsage(delta.usage, name);
        used = answerAttributes(delta);
        call.end('completed', delta.usage);
      }
      yield delta;
    }
  } catch (error) {
    if (bytes > 0) call.failed(error, cutUsage(request, bytes));
    else call.failed(error);
    over.reject(error);
    throw error;
  } finally {
    over.resolve();
    // What came until then was made, and is paid for.
    call.cut(cutUsage(request, bytes));
  }
}

/** Aborted because the time was up that models have, and not by the caller. */
function isTimeUp({ reason }: AbortSignal): boolean {
  return PatchbayError.is(reason) && reason.upstream?.kind === 'timeout';
}

/** The same pieces, the first of them asked for at once: what is sent for it belongs to whoever is asking now. */
function begun<T>(pieces: AsyncIterable<T>): AsyncIterable<T> {
  const iterator = pieces[Symbol.asyncIterator]();
  let first: Promise<IteratorResult<T>> | undefined = iterator.next();
  // Whoever iterates is told.
  first.catch(() => undefined);
  const next = (): Promise<IteratorResult<T>> => {
    const answer = first ?? iterator.next();
    first = undefined;
    return answer;
  };
  const end = iterator.return?.bind(iterator);
  return { [Symbol.asyncIterator]: () => ({ next, ...(end && { return: end }) }) };
}

function cutUsage(request: ChatRequest, bytes: number): Usage {
  return { ...estimateUsage(request, '', []), outputTokens: Math.ceil(bytes / 4) };
}

function estimateOf(request: ChatRequest, info: ModelInfo | undefined): Omit<CallEstimate, 'costNanoUsd'> {
  return {
    inputTokens: estimateUsage(request, '', []).uncachedInputTokens,
    outputTokens: request.maxTokens ?? info?.maxTokens ?? DEFAULT_OUTPUT_TOKENS,
  };
}

function totalTokens(usage: Usage): number {
  return usage.uncachedInputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens;
}
