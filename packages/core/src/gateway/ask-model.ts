import { PatchbayError } from '@patchbay/contracts/errors';
import type { ChatDelta, ChatRequest, ChatResult, Provider } from '@patchbay/contracts/provider';
import { providerError } from '@patchbay/contracts/provider-error';
import { definedMembers } from '@patchbay/outbound/provider-kit/json-fields';
import { ContentBuilder, ownReasoning, partsOf } from '@patchbay/outbound/provider-kit/message-content';
import { checkChatResult } from '@patchbay/outbound/provider-kit/provider-result';
import type { ModelCall } from './attempt.ts';
import { limitSilence, patient } from './deadline.ts';
import { asProviderFailure } from './fault-policy.ts';

/** A chat request without its model. */
export type Conversation = Omit<ChatRequest, 'model'>;

/** A part of a streamed completion. The complete result is the return value of the generator. */
export type AnswerPart = Exclude<ChatDelta, { readonly type: 'finish' }>;

/** A stream after its first output. */
export interface OpenStream<P, R> {
  /** The parts, or lists of those that arrived together, and the result. Throws PatchbayError if the stream fails; ending the iteration closes the socket. */
  readonly parts: () => AsyncGenerator<P, R>;
}

/** Call a model once, and wait for the complete result. */
export async function askModel(
  provider: Provider,
  conversation: Conversation,
  { model, deadline }: ModelCall,
): Promise<ChatResult> {
  const messages = ownReasoning(conversation.messages, model.provider);
  const result = await provider.chat({ ...conversation, messages, model: model.info.name }, deadline.context);
  return checkChatResult(result, model.provider);
}

/**
 * Call a model once, and yield the output in pieces while the model writes it; none if the provider does not stream.
 *
 * @param watched The part to yield: the text, or the arguments of the tool call. Default: nothing.
 */
export async function* showModel(
  provider: Provider,
  conversation: Conversation,
  call: ModelCall,
  watched?: 'text' | 'tool-arguments',
): AsyncGenerator<readonly string[], ChatResult> {
  if (!provider.stream || watched === undefined) return await askModel(provider, conversation, call);
  // No other model continues the parts of a function call or an object.
  const parts = readModel(provider, conversation, { ...call, silence: patient(call.silence) });
  return yield* mapLists(parts, watched === 'text' ? textOfPart : firstCall());
}

const textOfPart = (part: AnswerPart): string | undefined => (part.type === 'text' ? part.text : undefined);

/** The arguments of the call that is announced first. Pieces of other calls may alternate with its own. */
function firstCall(): (part: AnswerPart) => string | undefined {
  let first: string | undefined;
  let shown = '';
  return (part) => {
    if (part.type === 'tool-arguments') {
      first ??= part.id;
      // The announcement of a call may be without text.
      if (part.id !== first || part.text === '') return undefined;
      shown += part.text;
      return part.text;
    }
    if (part.type !== 'tool-call') return undefined;
    first ??= part.toolCall.id;
    if (part.toolCall.id !== first) return undefined;
    const whole = JSON.stringify(part.toolCall.arguments);
    // The complete call, which follows its pieces, may have different whitespace.
    return whole.startsWith(shown) && whole.length > shown.length ? whole.slice(shown.length) : undefined;
  };
}

/** The pieces mapped by `map`, without those that it maps to undefined, and the same result. */
export async function* mapPieces<P, E, R>(
  pieces: AsyncGenerator<P, R>,
  map: (piece: P) => E | undefined,
): AsyncGenerator<E, R> {
  try {
    for (;;) {
      const step = await pieces.next();
      if (step.done) return step.value;
      const mapped = map(step.value);
      if (mapped !== undefined) yield mapped;
    }
  } finally {
    close(pieces);
  }
}

/** The same for lists of pieces, without those that are empty. */
export function mapLists<P, E, R>(
  lists: AsyncGenerator<readonly P[], R>,
  map: (piece: P) => E | undefined,
): AsyncGenerator<readonly E[], R> {
  return mapPieces(lists, (pieces) => {
    const mapped = pieces.map(map).filter((each) => each !== undefined);
    return mapped.length > 0 ? mapped : undefined;
  });
}

/** Read all pieces, and return the result. */
export async function resultOf<P, R>(pieces: AsyncGenerator<P, R>, see: (piece: P) => void = () => {}): Promise<R> {
  try {
    for (;;) {
      const step = await pieces.next();
      if (step.done) return step.value;
      see(step.value);
    }
  } finally {
    close(pieces);
  }
}

/** Not awaited: a hanging provider would delay the fallback. */
export function close(pieces: AsyncIterator<unknown, unknown>): void {
  pieces.return?.().catch(() => undefined);
}

/**
 * Open a stream and wait for its first output: its commit point. Failures until then can be retried elsewhere. After
 * later ones, another model has to continue what the caller already has.
 */
export async function openStream<P, R>(
  parts: AsyncGenerator<P, R>,
  { model, meter, deadline }: ModelCall,
  tokensOf: (result: R) => number,
): Promise<OpenStream<P, R>> {
  const first = await parts.next();
  const { signal } = deadline.context;
  let isAwaited = false;
  // Registered here because the events may never be read: the caller can disconnect right now. A timeout counts against the
  // model only while its output is awaited.
  const onAbort = (): void => {
    if (isAwaited && deadline.blamesModel && isTimeout(signal.reason)) meter.failed(signal.reason);
    else meter.abandoned();
  };
  signal.addEventListener('abort', onAbort, { once: true });

  return {
    async *parts() {
      try {
        let step = first;
        while (!step.done) {
          yield step.value;
          isAwaited = true;
          step = await parts.next();
          isAwaited = false;
        }
        meter.succeeded(tokensOf(step.value));
        return step.value;
      } catch (error) {
        const failure = asProviderFailure(error, model.provider);
        if (!signal.aborted) meter.failed(failure);
        throw failure;
      } finally {
        meter.abandoned();
        close(parts);
      }
    },
  };
}

/** Whether another model can continue after this part: text, or reasoning without a proof. */
export function isContinuable(part: AnswerPart): boolean {
  if (part.type === 'reasoning-end') return Object.keys(part).length === 1;
  return part.type === 'text' || part.type === 'reasoning';
}

/**
 * Reads one stream in lists of parts that arrive together, within the deadline of its request and its silence limits.
 */
export async function* readModel(
  provider: Provider,
  conversation: Conversation,
  { model, meter, deadline, silence }: ModelCall,
): AsyncGenerator<readonly AnswerPart[], ChatResult> {
  const name = model.provider;
  const messages = ownReasoning(conversation.messages, model.provider);
  const request = { ...conversation, messages, model: model.info.name };
  const limit = limitSilence(deadline, silence, name);
  const stream = provider.stream?.(request, limit.context) ?? inOnePiece(provider.chat(request, limit.context));
  // A provider without streams responds when it is done.
  if (!provider.stream) limit.arrived(false);
  const iterator = stream[Symbol.asyncIterator]();
  const built = new ContentBuilder();
  let isResumable = true;
  try {
    for (;;) {
      const { done, value } = await limit.race(iterator.next());
      if (done) throw providerError('bad_response', `the stream of ${name} ended before the completion was complete`);
      const parts: AnswerPart[] = [];
      let finish: Extract<ChatDelta, { readonly type: 'finish' }> | undefined;
      for (const delta of 'type' in value ? [value] : value) {
        if (delta.type === 'text' && delta.text === '') continue;
        if (delta.type === 'finish') {
          finish = delta;
          break;
        }
        isResumable &&= isContinuable(delta);
        built.take(delta);
        parts.push(delta);
      }
      if (!finish && parts.length === 0) continue;
      limit.arrived(isResumable);
      meter.firstToken();
      if (parts.length > 0) yield parts;
      if (!finish) continue;
      const { type: _, ...end } = finish;
      return checkChatResult({ content: built.content, ...end }, name);
    }
  } finally {
    limit.release();
    close(iterator);
  }
}

async function* inOnePiece(answer: Promise<ChatResult>): AsyncGenerator<ChatDelta> {
  const { content, ...end } = await answer;
  for (const part of partsOf(content)) {
    if (part.type === 'tool-call') {
      const { type, ...toolCall } = part;
      yield { type, toolCall };
      continue;
    }
    yield { type: part.type, text: part.text };
    if (part.type !== 'reasoning') continue;
    const { signature, encrypted, extra } = part;
    yield { type: 'reasoning-end', ...definedMembers({ signature, encrypted, extra }) };
  }
  yield { type: 'finish', ...end };
}

const isTimeout = (error: unknown): error is PatchbayError =>
  PatchbayError.is(error) && error.upstream?.kind === 'timeout';
