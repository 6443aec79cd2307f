import type { RequestContext } from '@patchbay/contracts/context';
import type { ForwardedResponse, ForwardOutcome, ForwardReader, ForwardRequest } from '@patchbay/contracts/forward';
import type { Provider, Usage } from '@patchbay/contracts/provider';
import { checkUsage } from '@patchbay/outbound/provider-kit/provider-result';
import { answerAttributes, openSpan } from '../telemetry/call-span.ts';
import { noSpan, type OpenSpan } from '../telemetry/measuring.ts';
import { type Metering, type OpenCall, openCall, type PlannedCall } from './open-call.ts';
import { noUsage } from './usage-ledger.ts';

/** A request to forward, with what it may cost at most. */
export interface MeteredForwardRequest extends ForwardRequest {
  /** Reads the response. The gateway pushes the bytes that it takes. */
  readonly reader: ForwardReader;
  readonly plan: Pick<PlannedCall, 'maxTokens' | 'choices' | 'priceFactor'> & { readonly inputTokens: number };
}

/** A provider whose calls are metered. */
export interface MeteredProvider extends Provider {
  forward?(request: MeteredForwardRequest, context: RequestContext): Promise<ForwardedResponse>;
}

type Forward = NonNullable<Provider['forward']>;

/** Reserves what a forwarded request may cost, and settles it by what its reader found in the response. */
export function meteredForward(name: string, forward: Forward, metering: Metering) {
  return async (request: MeteredForwardRequest, context: RequestContext): Promise<ForwardedResponse> => {
    // Vendors count without charge.
    if (request.dialect === 'anthropic-count-tokens') return await forward(request, context);
    const { model, plan, dialect, reader } = request;
    const usageOf = (bytes: number) => usageSoFar({ ...reader.outcome, outputBytes: bytes }, plan.inputTokens);
    const operation = dialect === 'openai-embeddings' ? 'embeddings' : 'chat';
    const opening = openCall(metering, { ...plan, operation, model, usageOf }, context);
    const call = opening instanceof Promise ? await opening : opening;
    const settle = (outcome: ForwardOutcome): void => {
      const usage = outcome.usage ?? usageOf(outcome.outputBytes);
      checkUsage(usage, name);
      call.end('completed', usage, { factor: outcome.priceFactor });
    };
    const { measuring } = metering;
    const end = () => attributesOf(reader.outcome);
    const span = measuring.hasSpans ? openSpan(measuring, `${operation} ${model}`, call.attributes, end) : noSpan;
    try {
      const { body, ...head } = await span.within(() => forward(request, context));
      return { ...head, body: { [Symbol.asyncIterator]: () => meteredPieces(body, call, reader, settle, span) } };
    } catch (error) {
      span.failed(error);
      throw call.failed(error);
    }
  };
}

/** Approximate usage of an incomplete response. */
export function usageSoFar({ usage, outputBytes }: ForwardOutcome, inputTokens: number): Usage {
  const { outputTokens, ...input } = usage ?? { ...noUsage, uncachedInputTokens: inputTokens };
  return { ...input, outputTokens: Math.max(outputTokens, Math.ceil(outputBytes / 4)), estimated: true };
}

/** An iterator, not a generator: if it is ended before its first piece, it has to settle the call as well. */
function meteredPieces(
  body: AsyncIterable<Uint8Array>,
  call: OpenCall,
  reader: ForwardReader,
  settle: (outcome: ForwardOutcome) => void,
  span: OpenSpan,
): AsyncIterator<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    try {
      return await pieces.next();
    } catch (error) {
      // A connection may break after the end of a response.
      if (!reader.isOver) throw error;
      return { value: undefined, done: true };
    }
  };
  return {
    async next() {
      try {
        const step = await next();
        if (step.done) {
          settle(reader.end());
          span.over();
        } else {
          call.firstChunk();
        }
        return step;
      } catch (error) {
        span.failed(error);
        throw call.failed(error, reader.outcome.outputBytes);
      }
    },
    /** Its reader could not make sense of it. */
    async throw(error) {
      call.failed(error, reader.outcome.outputBytes);
      span.failed(error);
      await pieces.return?.();
      return { value: undefined, done: true };
    },
    async return() {
      const { failure, isOver, outcome } = reader;
      // The tokens until then were generated, and are billed.
      if (failure) call.failed(failure, outcome.outputBytes);
      else if (isOver) settle(outcome);
      else call.cut(outcome.outputBytes);
      span.over();
      await pieces.return?.();
      return { value: undefined, done: true };
    },
  };
}

function attributesOf({ usage = noUsage, finishReason = 'stop', model }: ForwardOutcome) {
  return answerAttributes({ usage, finishReason, ...(model === undefined ? {} : { model }) });
}
