import { PatchbayError } from '@patchbay/contracts/errors';
import type { ChatResult, Usage } from '@patchbay/contracts/provider';
import { ContentBuilder, GrowingText } from '@patchbay/outbound/provider-kit/message-content';
import { estimateUsage } from '@patchbay/outbound/provider-kit/token-usage';
import { type AnswerPart, close, isContinuable, type OpenStream, openStream } from './ask-model.ts';
import type { ModelCall } from './attempt.ts';
import type { CompletedAnswer } from './gateway-listener.ts';
import type { Resumed } from './gateway-service.ts';
import type { Opened, TextTask } from './pipeline.ts';

/** The output of a model that was sent to its caller. */
export interface SentOutput {
  readonly text: string;
  /** Without a proof. */
  readonly reasoning: string;
  /** It ends in reasoning. */
  readonly isReasoning: boolean;
  /** Of the call that was interrupted. */
  readonly usage: Usage;
}

/** The parts of a text stream, as they arrive. If it is interrupted, another model continues it. */
export async function* readResumably<A extends CompletedAnswer>(
  opened: Opened<OpenStream<readonly AnswerPart[], ChatResult>>,
  task: TextTask<A>,
): AsyncGenerator<readonly (AnswerPart | Resumed)[], ChatResult> {
  const [said, thought] = [new GrowingText(), new GrowingText()];
  let isReasoning = false;
  let isResumable = true;
  const parts = opened.value.parts();
  try {
    for (;;) {
      const step = await parts.next();
      if (step.done) return step.value;
      for (const part of step.value) {
        isReasoning = part.type === 'reasoning';
        if (part.type === 'text') said.add(part.text);
        else if (part.type === 'reasoning') thought.add(part.text);
        isResumable &&= isContinuable(part);
      }
      yield step.value;
    }
  } catch (failure) {
    if (!PatchbayError.is(failure)) throw failure;
    const [text, reasoning] = [said.text, thought.text];
    const usage = estimateUsage({ ...task.conversation, model: opened.model.info.name }, `${reasoning}${text}`);
    const sent = isResumable ? { text, reasoning, isReasoning, usage } : undefined;
    const continued = await resume(opened, task, failure, sent);
    if (!continued) throw failure;
    return yield* continued;
  } finally {
    close(parts);
  }
}

/**
 * Continue a stream that was interrupted with another model of its plan.
 *
 * @param sent Undefined if no model can continue it.
 * @returns the parts that follow and the result of the whole; undefined if no model continues.
 */
export async function resume<A extends CompletedAnswer>(
  opened: Opened<unknown>,
  task: TextTask<A>,
  failure: PatchbayError,
  sent: SentOutput | undefined,
): Promise<AsyncGenerator<readonly (AnswerPart | Resumed)[], ChatResult> | undefined> {
  const next = (call: ModelCall) => openStream(task.continueFrom(call, sent?.text ?? ''), call, task.outputTokens);
  const again = await opened.resume(failure, sent && next);
  if (!again || !sent) return undefined;
  const { value, model, head } = again;
  const warning = `the stream of ${opened.model.id} was interrupted, and ${model.id} continued it`;

  const built = new ContentBuilder();
  if (sent.reasoning !== '') built.add('reasoning', sent.reasoning);
  built.add('text', sent.text);

  async function* parts({
    isReasoning,
    usage,
  }: SentOutput): AsyncGenerator<readonly (AnswerPart | Resumed)[], ChatResult> {
    const following = value.parts();
    // Begun before anything is shown: a caller that leaves ends only what has begun.
    const first = following.next();
    try {
      if (isReasoning) yield [{ type: 'reasoning-end' }];
      yield [{ resumed: { model: model.id, route: head.route } }];
      let step = await first;
      while (!step.done) {
        for (const part of step.value) built.take(part);
        yield step.value;
        step = await following.next();
      }
      const result = step.value;
      const warnings = [...(result.warnings ?? []), ...head.warnings, warning];
      return { ...result, content: built.content, usage: sumOf(usage, result.usage), warnings };
    } catch (error) {
      const { logger } = opened.deadline.context;
      logger.warn('the model that continued a stream failed', { model: model.id, error });
      throw failure;
    } finally {
      close(following);
    }
  }
  return parts(sent);
}

function sumOf(one: Usage, other: Usage): Usage {
  return {
    uncachedInputTokens: one.uncachedInputTokens + other.uncachedInputTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
    ...((one.estimated || other.estimated) && { estimated: true }),
  };
}
