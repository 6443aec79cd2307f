import type { RequestContext } from '@patchbay/contracts/context';
import type { ForwardedResponse, ForwardOutcome, ForwardReader, ForwardRequest } from '@patchbay/contracts/forward';
import type { Provider, Usage } from '@patchbay/contracts/provider';
import { checkUsage } from '@patchbay/outbound/provider-kit/token-usage';
import { answerAttributes } from '../telemetry/model-measures.ts';
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
    const opening = openCall(metering, name, { ...plan, operation, model, usageOf }, context);
    const call = opening instanceof Promise ? await opening : opening;
    const over = Promise.withResolvers<void>();
    const response = Promise.withResolvers<ForwardedResponse>();
    const settle = (outcome: ForwardOutcome): void => {
      const usage = outcome.usage ?? usageOf(outcome.outputBytes);
      checkUsage(usage, name);
      call.end('completed', usage, { factor: outcome.priceFactor });
    };
    const spanned = metering.measuring.span(`${operation} ${model}`, call.attributes, async (span) => {
      forward(request, context).then(response.resolve, (error: unknown) => response.reject(call.failed(error)));
      await response.promise;
      // The span is open for as long as the response is, and is not waited for.
      await over.promise.finally(() => span.set(attributesOf(reader.outcome)));
    });
    spanned.catch(() => undefined);
    const { body, ...head } = await response.promise;
    return { ...head, body: { [Symbol.asyncIterator]: () => meteredPieces(body, call, reader, settle, over) } };
  };
}

/** About what is used of a response that is not complete. */
export function usageSoFar({ usage, outputBytes }: ForwardOutcome, inputTokens: number): Usage {
  const { outputTokens, ...input } = usage ?? { ...noUsage, uncachedInputTokens: inputTokens };
  return { ...input, outputTokens: Math.max(outputTokens, Math.ceil(outputBytes / 4)), estimated: true };
}

/** An iterator and no generator: one that is ended before its first piece has to settle the call as well. */
function meteredPieces(
  body: AsyncIterable<Uint8Array>,
  call: OpenCall,
  reader: ForwardReader,
  settle: (outcome: ForwardOutcome) => void,
  over: PromiseWithResolvers<void>,
): AsyncIterator<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  const lost = (error: unknown): IteratorReturnResult<undefined> => {
    if (!reader.isOver) throw error;
    return { value: undefined, done: true };
  };
  return {
    async next() {
      try {
        const step = await pieces.next().catch(lost);
        if (step.done) {
          settle(reader.end());
          over.resolve();
        } else {
          call.firstChunk();
        }
        return step;
      } catch (error) {
        over.reject(error);
        throw call.failed(error, reader.outcome.outputBytes);
      }
    },
    /** Its reader could not make sense of it. */
    async throw(error) {
      call.failed(error, reader.outcome.outputBytes);
      over.reject(error);
      await pieces.return?.();
      return { value: undefined, done: true };
    },
    async return() {
      const { failure, isOver, outcome } = reader;
      // The tokens until then were made, and are paid for.
      if (failure) call.failed(failure, outcome.outputBytes);
      else if (isOver) settle(outcome);
      else call.cut(outcome.outputBytes);
      over.resolve();
      await pieces.return?.();
      return { value: undefined, done: true };
    },
  };
}

function attributesOf({ usage = noUsage, finishReason = 'stop', model }: ForwardOutcome) {
  return answerAttributes({ usage, finishReason, ...(model === undefined ? {} : { model }) });
}
