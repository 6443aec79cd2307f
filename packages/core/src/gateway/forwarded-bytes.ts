import { PatchbayError } from '@patchbay/contracts/errors';
import type { ForwardOutcome } from '@patchbay/contracts/forward';
import type { GatewayOperation } from '../events/event-kinds.ts';
import { usageSoFar } from '../usage/metered-forward.ts';
import { type AnswerHead, totalsOf } from './answers.ts';
import { mapPieces, type OpenStream } from './ask-model.ts';
import { ResponseCollector } from './collect-response.ts';
import type { ForwardedHead } from './forward-model.ts';
import type { CompletedAnswer } from './gateway-listener.ts';
import type { ChatAnswer } from './gateway-service.ts';
import type { OriginalRequest } from './original-request.ts';
import type { Opened, Pipeline, TextTask } from './pipeline.ts';
import { chatPieces, resume } from './stream-events.ts';

/** A response as its vendor sends it. */
export interface ForwardedStream {
  readonly stream: OpenStream<Uint8Array, ForwardOutcome>;
  readonly head: ForwardedHead;
}

/**
 * The bytes of a forwarded stream. If it is interrupted, another model continues it in the terms of the gateway; if
 * there is none, the caller receives the failure in the vendor's own words.
 *
 * @param prepare The task for models that speak another dialect.
 */
export async function* forwardedBytes(
  { streamedAnswer, completed, failed, collects }: Pipeline,
  opened: Opened<ForwardedStream>,
  original: OriginalRequest,
  prepare: () => Promise<TextTask<ChatAnswer>>,
): AsyncGenerator<Uint8Array, void> {
  const {
    stream,
    head: { reader, withoutSecrets },
  } = opened.value;

  const continued = async (failure: PatchbayError): Promise<AsyncGenerator<Uint8Array> | undefined> => {
    const { resumePoint: point, outcome } = reader;
    const task = point && (await prepare().catch(() => undefined));
    if (!point || !task) {
      await opened.resume(failure, undefined);
      return undefined;
    }
    const usage = usageSoFar(outcome, original.inputTokens);
    const parts = await resume(opened, task, failure, {
      text: point.text,
      reasoning: '',
      isReasoning: false,
      usage,
    });
    return parts && point.write(streamedAnswer(opened, task, parts, chatPieces()).events.batches);
  };

  const collector = collects(opened.deadline.context) ? new ResponseCollector(original.dialect) : undefined;
  try {
    const outcome = yield* collector ? collecting(stream.parts(), collector) : stream.parts();
    const response = collector && { forwarded: collector.collected };
    completed(opened, forwardCompletion(opened.operation, opened.head, outcome), false, response);
  } catch (error) {
    const more = PatchbayError.is(error) ? await continued(error) : undefined;
    if (more) {
      yield* more;
      return;
    }
    failed(opened, error);
    if (error !== reader.failure || reader.withheld.length === 0) throw error;
    const { withheld } = reader;
    yield withoutSecrets ? Buffer.from(withoutSecrets(Buffer.from(withheld).toString())) : withheld;
  } finally {
    opened.close();
  }
}

async function* collecting<R>(
  pieces: AsyncGenerator<Uint8Array, R>,
  collector: ResponseCollector,
): AsyncGenerator<Uint8Array, R> {
  return yield* mapPieces(pieces, (piece) => {
    collector.add(piece);
    return piece;
  });
}

/** A response that was forwarded, as it is reported. */
export function forwardCompletion(
  operation: GatewayOperation,
  head: AnswerHead,
  { usage, outputBytes }: ForwardOutcome,
): CompletedAnswer {
  const counted = usage ?? {
    uncachedInputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: Math.ceil(outputBytes / 4),
    reasoningTokens: 0,
    estimated: true,
  };
  const totals = totalsOf({ results: [{ content: '', finishReason: 'stop', usage: counted }] }, head);
  return operation === 'embed' ? { ...head, tokens: totals.promptTokens } : { ...head, ...totals };
}
