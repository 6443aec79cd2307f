import { jsonTextOf } from '@patchbay/contracts/base/json-text';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { ChatResult, Usage } from '@patchbay/contracts/provider';
import { estimateUsage } from '@patchbay/outbound/provider-kit/estimate-usage';
import { definedMembers } from '@patchbay/outbound/provider-kit/json-fields';
import { ContentBuilder, GrowingText } from '@patchbay/outbound/provider-kit/message-content';
import { type AnswerPart, close, isContinuable, type OpenStream, openStream } from './ask-model.ts';
import type { ModelCall } from './attempt.ts';
import type { CompletedAnswer } from './gateway-listener.ts';
import type { ChatPiece, Resumed, TextPiece } from './gateway-service.ts';
import type { Opened, TextTask } from './pipeline.ts';

/**
 * Items that may arrive several at a time: iterate to read them one by one, or use `batches` to read them as they
 * arrive, which costs as much for many items as for one. They can be read once; ending the iteration ends their source.
 */
export class Batched<T> implements AsyncIterable<T> {
  readonly batches: AsyncIterable<readonly T[]>;

  constructor(batches: AsyncIterable<readonly T[]>) {
    this.batches = batches;
  }

  /** From a source that yields its items one at a time. */
  static from<T>(items: AsyncIterable<T>): Batched<T> {
    return new Batched(alone(items));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for await (const batch of this.batches) yield* batch;
  }
}

async function* alone<T>(items: AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  for await (const item of items) yield [item];
}

interface Streaming<P, E, T, A> {
  /** Undefined for parts that are not shown. */
  readonly toEvent: (part: P) => E | undefined;
  /** @param route That of the model that continued the stream, if one did. */
  readonly finish: (result: T, route: string | undefined) => A;
  readonly failed: (error: unknown) => void;
  /** The stream is over, or its caller has left it. */
  readonly over: () => void;
}

/**
 * The events of a stream for its caller, as they arrive, with the answer as the last one. Throws if the stream fails.
 */
export async function* streamEvents<P extends object, E, T, A>(
  lists: AsyncGenerator<readonly (P | Resumed)[], T>,
  { toEvent, finish, failed, over }: Streaming<P, E, T, A>,
): AsyncGenerator<readonly (E | Resumed | { readonly done: A })[], void> {
  let route: string | undefined;
  try {
    let step = await lists.next();
    for (; !step.done; step = await lists.next()) {
      const events: (E | Resumed)[] = [];
      for (const part of step.value) {
        if ('resumed' in part) route = part.resumed.route;
        const event = 'resumed' in part ? part : toEvent(part);
        if (event !== undefined) events.push(event);
      }
      if (events.length > 0) yield events;
    }
    yield [{ done: finish(step.value, route) }];
  } catch (error) {
    failed(error);
    throw error;
  } finally {
    close(lists);
    over();
  }
}

/** Maps the parts of one stream. A call that its provider sends complete is one piece. */
export function chatPieces(): (part: AnswerPart) => ChatPiece | undefined {
  const begun = new Set<string>();
  return (part) => {
    if (part.type === 'text') return textDelta(part);
    if (part.type === 'refusal') return { refusal: part.text };
    if (part.type === 'reasoning') return { reasoning: part.text, ...piecesOf(part) };
    if (part.type === 'reasoning-end') {
      const { signature, encrypted } = part;
      return { reasoningEnd: definedMembers({ signature, encrypted }) };
    }
    if (part.type === 'tool-arguments') {
      begun.add(part.id);
      return { toolCall: { id: part.id, name: part.name, arguments: part.text } };
    }
    if (part.type !== 'tool-call' || begun.has(part.toolCall.id)) return undefined;
    const { id, name, arguments: values } = part.toolCall;
    return { toolCall: { id, name, arguments: jsonTextOf(values) } };
  };
}

/** The text of a part, without anything else. */
export function textDelta(part: AnswerPart): TextPiece | undefined {
  return part.type === 'text' ? { delta: part.text, ...piecesOf(part) } : undefined;
}

function piecesOf({ pieces }: { readonly pieces?: readonly string[] }): { readonly pieces?: readonly string[] } {
  return pieces === undefined ? {} : { pieces };
}

/** The output of a model that was sent to its caller. */
interface SentOutput {
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
