import type { Clock } from '../contracts/clock.ts';
import type { RequestContext } from '../contracts/context.ts';
import type { ChatDelta, ChatRequest, EmbedRequest, ModelInfo, Provider, Usage } from '../contracts/provider.ts';
import type { UsageDimensions } from '../contracts/rows.ts';
import { estimateTokens, estimateUsage } from '../provider-kit/token-usage.ts';
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
  /** What is known of a model of this provider. */
  readonly infoOf: (model: string) => ModelInfo | undefined;
}

/** Assumed of an answer whose length neither the request nor the model limits. */
const DEFAULT_OUTPUT_TOKENS = 4_096;

/**
 * A provider whose every call is reserved before, and written into the ledger after it, whoever makes it: a request, or
 * the code of a function on behalf of its caller. Calls that fail count as well; what they used is not known, and so 0.
 */
export function meterProvider(name: string, provider: Provider, parts: MeteringParts): Provider {
  const stream = provider.stream?.bind(provider);
  const embed = provider.embed?.bind(provider);
  const open = (model: string, context: RequestContext, tokens: Omit<CallEstimate, 'costNanoUsd'>) =>
    openCall(parts, { name, model }, context, tokens);

  return {
    ...(provider.off !== undefined && { off: provider.off }),
    models: () => provider.models(),

    async chat(request, context) {
      const call = await open(request.model, context, estimateOf(request, parts.infoOf(request.model)));
      try {
        const result = await provider.chat(request, context);
        call.end('completed', result.usage);
        return result;
      } catch (error) {
        call.failed();
        throw error;
      }
    },

    ...(stream && {
      stream: (request: ChatRequest, context: RequestContext) =>
        meteredStream(
          () => open(request.model, context, estimateOf(request, parts.infoOf(request.model))),
          () => stream(request, context),
          request,
        ),
    }),

    ...(embed && {
      async embed(request: EmbedRequest, context: RequestContext) {
        const call = await open(request.model, context, {
          inputTokens: estimateTokens(request.text),
          outputTokens: 0,
        });
        try {
          const result = await embed(request, context);
          call.end('completed', { ...noUsage, uncachedInputTokens: result.tokens });
          return result;
        } catch (error) {
          call.failed();
          throw error;
        }
      },
    }),
  };
}

interface OpenCall {
  end(outcome: UsageDimensions['outcome'], usage: Usage): void;
  failed(used?: Usage): void;
}

async function openCall(
  { meter, clock, reserve, infoOf }: MeteringParts,
  { name, model }: { readonly name: string; readonly model: string },
  context: RequestContext,
  tokens: Omit<CallEstimate, 'costNanoUsd'>,
): Promise<OpenCall> {
  const pricing = infoOf(model)?.pricing;
  await meter.ready();
  const estimate = costNanoUsd(pricing, { ...noUsage, ...tokens, uncachedInputTokens: tokens.inputTokens });
  const reservation = await reserve(context, { ...tokens, costNanoUsd: estimate });
  const startedAt = clock.monotonic();
  let over = false;
  const end: OpenCall['end'] = (outcome, usage) => {
    if (over) return;
    over = true;
    // Recorded first: what was spent is never neither reserved nor counted.
    meter.record(context, {
      kind: 'model',
      functionId: context.execution?.functionId ?? '',
      model: `${name}/${model}`,
      outcome,
      usage,
      costNanoUsd: costNanoUsd(pricing, usage),
      durationMs: clock.monotonic() - startedAt,
    });
    reservation.settle(totalTokens(usage));
  };
  return { end, failed: (used = noUsage) => end(context.signal.aborted ? 'cancelled' : 'failed', used) };
}

async function* meteredStream(
  open: () => Promise<OpenCall>,
  start: () => AsyncIterable<ChatDelta>,
  request: ChatRequest,
): AsyncGenerator<ChatDelta> {
  const call = await open();
  let bytes = 0;
  try {
    for await (const delta of start()) {
      if (delta.type === 'text' || delta.type === 'tool-arguments') bytes += Buffer.byteLength(delta.text);
      if (delta.type === 'finish') call.end('completed', delta.usage);
      yield delta;
    }
  } catch (error) {
    if (bytes > 0) call.failed(cutUsage(request, bytes));
    else call.failed();
    throw error;
  } finally {
    // Nobody wanted the rest: what came until then was made, and is paid for.
    call.end('cancelled', cutUsage(request, bytes));
  }
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
