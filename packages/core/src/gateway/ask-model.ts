import { PatchbayError } from '../contracts/errors.ts';
import type { ChatDelta, ChatRequest, ChatResult, Provider, ToolCall } from '../contracts/provider.ts';
import { providerError } from '../contracts/provider-error.ts';
import { checkChatResult } from '../provider-kit/token-usage.ts';
import type { ModelCall } from './attempt.ts';
import { firstTokenMs, limitFirstToken } from './deadline.ts';
import { asProviderFailure } from './fault-policy.ts';

/** A chat request without its model. */
export type Conversation = Omit<ChatRequest, 'model'>;

/** A part of a streamed completion: deltas of the model, and at the end the result that `chat` would have returned. */
export type AnswerPart =
  | Exclude<ChatDelta, { readonly type: 'finish' }>
  | { readonly type: 'result'; readonly result: ChatResult };

/** A stream after its first output. */
export interface CommittedStream {
  /**
   * The parts mapped by `toEvent`, without those that it maps to undefined. Throws if the stream fails,
   * after `failed` was called with the error; ending the iteration closes the socket.
   */
  events<E>(
    toEvent: (part: AnswerPart) => E | undefined,
    failed: (error: PatchbayError) => void,
  ): AsyncGenerator<E, void>;
}

/** Call a model once, and wait for the complete result. */
export async function askModel(
  provider: Provider,
  conversation: Conversation,
  { model, deadline }: ModelCall,
): Promise<ChatResult> {
  const result = await provider.chat({ ...conversation, model: model.info.name }, deadline.context);
  return checkChatResult(result, model.provider);
}

/**
 * Call a model once, and report the output while the model writes it.
 *
 * @param watched The part to report: the text, or the arguments of the tool call.
 * @param wrote Called with that part as it grows, from its beginning. Not called if the provider does not stream.
 */
export async function watchModel(
  provider: Provider,
  conversation: Conversation,
  call: ModelCall,
  watched: 'text' | 'tool-arguments',
  wrote: (text: string) => void,
): Promise<ChatResult> {
  if (!provider.stream) return await askModel(provider, conversation, call);
  const reader = readStream(provider, conversation, call);
  let text = '';
  let hasCalled = false;
  try {
    for (;;) {
      const part = await reader.next();
      if (part.type === 'result') return part.result;
      // Of several calls, the first counts.
      if (hasCalled) continue;
      if ('text' in part && part.type === watched) {
        text += part.text;
        wrote(text);
      } else if (part.type === 'tool-call' && watched === 'tool-arguments') {
        hasCalled = true;
        wrote(JSON.stringify(part.toolCall.arguments));
      }
    }
  } finally {
    reader.close();
  }
}

/**
 * Open a stream and wait for its first output: its commit point. Failures until then can be retried elsewhere; a later
 * failure reaches the caller, who already has a part of the response.
 */
export async function streamModel(
  provider: Provider,
  conversation: Conversation,
  call: ModelCall,
): Promise<CommittedStream> {
  const { model, meter, deadline } = call;
  const reader = readStream(provider, conversation, call);
  let first: AnswerPart;
  try {
    do first = await reader.next();
    while (first.type === 'text' && first.text === '');
  } catch (error) {
    reader.close();
    throw error;
  }
  const { signal } = deadline.context;
  // Registered here because the events may never be read: the caller can disconnect right now. A timeout counts against the
  // model only while its output is awaited.
  const onAbort = (): void => {
    if (reader.isAwaited() && deadline.blamesModel && isTimeout(signal.reason)) meter.failed(signal.reason);
    else meter.abandoned();
  };
  signal.addEventListener('abort', onAbort, { once: true });

  return {
    async *events(toEvent, failed) {
      try {
        for (let part = first; ; part = await reader.next()) {
          if (part.type === 'result') meter.succeeded(part.result.usage.outputTokens);
          const event = toEvent(part);
          if (event !== undefined) yield event;
          if (part.type === 'result') return;
        }
      } catch (error) {
        const failure = asProviderFailure(error, model.provider);
        if (!signal.aborted) meter.failed(failure);
        failed(failure);
        throw failure;
      } finally {
        meter.abandoned();
        deadline.close();
        reader.close();
      }
    },
  };
}

/** Reads one stream part by part, within the deadline of its request and the limit of its first token. */
interface StreamReader {
  next(): Promise<AnswerPart>;
  /** Whether a part is awaited. */
  isAwaited(): boolean;
  close(): void;
}

function readStream(
  provider: Provider,
  conversation: Conversation,
  { model, meter, deadline, isLast }: ModelCall,
): StreamReader {
  const name = model.provider;
  const request = { ...conversation, model: model.info.name };
  const limit = limitFirstToken(deadline, firstTokenMs(model, isLast), name);
  const stream = provider.stream?.(request, limit.context) ?? inOnePiece(provider.chat(request, limit.context));
  // A provider without streams responds when it is done.
  if (!provider.stream) limit.arrived();
  const iterator = stream[Symbol.asyncIterator]();
  const toolCalls: ToolCall[] = [];
  let content = '';
  let isAwaited = false;
  return {
    async next() {
      isAwaited = true;
      const { done, value } = await limit.race(iterator.next());
      isAwaited = false;
      if (done) throw providerError('bad_response', `the stream of ${name} ended before the completion was complete`);
      if (value.type !== 'text' || value.text !== '') {
        limit.arrived();
        meter.firstToken();
      }
      if (value.type === 'finish') {
        const { type: _, ...end } = value;
        return { type: 'result', result: checkChatResult({ content, toolCalls, ...end }, name) };
      }
      if (value.type === 'text') content += value.text;
      if (value.type === 'tool-call') toolCalls.push(value.toolCall);
      return value;
    },
    isAwaited: () => isAwaited,
    close() {
      limit.release();
      // Not awaited: a hanging provider would delay the fallback.
      iterator.return?.().catch(() => undefined);
    },
  };
}

async function* inOnePiece(answer: Promise<ChatResult>): AsyncGenerator<ChatDelta> {
  const { content, toolCalls, ...end } = await answer;
  yield { type: 'text', text: content };
  for (const toolCall of toolCalls) yield { type: 'tool-call', toolCall };
  yield { type: 'finish', ...end };
}

const isTimeout = (error: unknown): error is PatchbayError =>
  PatchbayError.is(error) && error.upstream?.kind === 'timeout';
