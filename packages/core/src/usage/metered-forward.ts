import type { RequestContext } from '@patchbay/contracts/context';
import type { ForwardedResponse, ForwardOutcome, ForwardReader, ForwardRequest } from '@patchbay/contracts/forward';
import type { Provider, Usage } from '@patchbay/contracts/provider';
import { providerError } from '@patchbay/contracts/provider-error';
import { checkUsage } from '@patchbay/outbound/provider-kit/provider-result';
import { answerAttributes, openSpan } from '../telemetry/call-span.ts';
import { noSpan, type OpenSpan } from '../telemetry/measuring.ts';
import { type Metering, type OpenCall, openCall, type PlannedCall } from './open-call.ts';
import { noUsage } from './usage-ledger.ts';

/** A request to forward, with what it may cost at most. */
export interface MeteredForwardRequest extends ForwardRequest {
  /** Reads the response. The gateway pushes the pieces of a stream as it takes them. */
  readonly reader: ForwardReader;
  readonly plan: Pick<PlannedCall, 'maxTokens' | 'choices' | 'priceFactor'> & { readonly inputTokens: number };
}

type ResponseHead = Omit<ForwardedResponse, 'body'>;

/** A complete response. */
export interface ForwardedWhole extends ResponseHead {
  /** As the reader leaves them for the caller. */
  readonly bytes: Uint8Array;
  readonly outcome: ForwardOutcome;
}

/** A response that is a stream. */
export interface ForwardedPieces extends ResponseHead {
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** A provider whose calls are metered. */
export interface MeteredProvider extends Omit<Provider, 'forward'> {
  forwardWhole?(request: MeteredForwardRequest, context: RequestContext): Promise<ForwardedWhole>;
  forwardStream?(request: MeteredForwardRequest, context: RequestContext): Promise<ForwardedPieces>;
}

type Forward = NonNullable<Provider['forward']>;

/** A forwarded call that was reserved. */
interface OpenForward {
  readonly call: OpenCall;
  readonly span: OpenSpan;
  readonly settle: (outcome: ForwardOutcome) => void;
}

/** Reserves what a forwarded request may cost, and settles it by what its reader found in the response. */
export function meteredForward(name: string, forward: Forward, metering: Metering) {
  const open = (request: MeteredForwardRequest, context: RequestContext): OpenForward | Promise<OpenForward> => {
    const { model, plan, dialect, reader } = request;
    const usageOf = (bytes: number) => usageSoFar({ ...reader.outcome, outputBytes: bytes }, plan.inputTokens);
    const operation = dialect === 'openai-embeddings' ? 'embeddings' : 'chat';
    const { measuring } = metering;
    const opened = (call: OpenCall): OpenForward => {
      const end = () => attributesOf(reader.outcome);
      return {
        call,
        span: measuring.hasSpans ? openSpan(measuring, `${operation} ${model}`, call.attributes, end) : noSpan,
        settle(outcome) {
          const usage = outcome.usage ?? usageOf(outcome.outputBytes);
          checkUsage(usage, name);
          call.end('completed', usage, { factor: outcome.priceFactor });
        },
      };
    };
    const opening = openCall(metering, { ...plan, operation, model, usageOf }, context);
    return opening instanceof Promise ? opening.then(opened) : opened(opening);
  };

  return {
    async forwardWhole(request: MeteredForwardRequest, context: RequestContext): Promise<ForwardedWhole> {
      const { reader } = request;
      const send = async (): Promise<ForwardedWhole> => {
        const { body, ...head } = await forward(request, context);
        if (!(body instanceof Uint8Array)) throw providerError('bad_response', `${name} sent an unrequested stream`);
        const bytes = reader.push(body);
        return { ...head, bytes, outcome: reader.end() };
      };
      // Vendors count without charge.
      if (request.dialect === 'anthropic-count-tokens') return await send();
      const opening = open(request, context);
      const { call, span, settle } = opening instanceof Promise ? await opening : opening;
      try {
        const response = await span.within(send);
        settle(response.outcome);
        span.over();
        return response;
      } catch (error) {
        span.failed(error);
        throw call.failed(error, reader.outcome.outputBytes);
      }
    },

    async forwardStream(request: MeteredForwardRequest, context: RequestContext): Promise<ForwardedPieces> {
      const opened = await open(request, context);
      const { call, span } = opened;
      try {
        const { body, ...head } = await span.within(() => forward(request, context));
        if (body instanceof Uint8Array) throw providerError('bad_response', `${name} sent no stream`);
        return { ...head, pieces: { [Symbol.asyncIterator]: () => meteredPieces(body, request.reader, opened) } };
      } catch (error) {
        span.failed(error);
        throw call.failed(error);
      }
    },
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
  reader: ForwardReader,
  { call, span, settle }: OpenForward,
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
