import type { JsonObject } from '@patchbay/core/plugin';
import type OpenAI from 'openai';
import { resumedComment } from '../forward/resumed-comment.ts';
import type { ChatAnswer, ChatEvent, ChatPiece } from '../gateway-types.ts';
import { type ReasoningDetail, reasoningDetail } from './reasoning-details.ts';
import { finishReasonOf, isCall, isReasoning, secondsOf, usageOf } from './serialize-response.ts';

/** The members of a response that are known before its first piece. */
export type StreamHead = Pick<ChatAnswer, 'id' | 'model' | 'createdAt'>;

export interface StreamOptions {
  readonly includeUsage?: boolean;
  readonly asFunctionCall?: boolean;
}

type Chunk = OpenAI.ChatCompletionChunk;

/** The members that all chunks of a stream share. */
export type ChunkHead = Pick<Chunk, 'id' | 'created' | 'model'>;

/** Includes the members of compatible servers that OpenAI does not have. */
interface Delta extends OpenAI.ChatCompletionChunk.Choice.Delta {
  reasoning_content?: string;
  reasoning_details?: ReasoningDetail[];
}

type CallDelta = OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall;

interface BegunCall {
  readonly index: number;
  isEmpty: boolean;
}

/** Writes the chunks of one stream. */
export class ChunkWriter {
  readonly #head: ChunkHead & Pick<Chunk, 'object'>;
  readonly #includeUsage: boolean;
  readonly #asFunctionCall: boolean;
  /** By their ids: pieces of several calls may alternate. */
  readonly #calls = new Map<string, BegunCall>();

  constructor({ id, created, model }: ChunkHead, options: StreamOptions = {}) {
    this.#head = { id, object: 'chat.completion.chunk', created, model };
    this.#includeUsage = options.includeUsage ?? false;
    this.#asFunctionCall = options.asFunctionCall ?? false;
  }

  /** The first chunk, which has the role. */
  begin(): JsonObject {
    return this.#chunk({ role: 'assistant', content: '', refusal: null });
  }

  piece(piece: ChatPiece): readonly JsonObject[] {
    if ('delta' in piece) return (piece.pieces ?? [piece.delta]).map((content) => this.#chunk({ content }));
    if ('refusal' in piece) return [this.#chunk({ refusal: piece.refusal })];
    if ('reasoning' in piece) {
      return (piece.pieces ?? [piece.reasoning]).map((reasoning_content) => this.#chunk({ reasoning_content }));
    }
    // Its proof follows in `reasoning_details`, once all reasoning is known.
    if ('reasoningEnd' in piece) return [];
    return this.#callPiece(piece.toolCall);
  }

  /** The chunks after the last piece: the finish reason, and the usage if the client requested it. */
  end(answer: ChatAnswer): readonly JsonObject[] {
    const { parts = [] } = answer.message;
    const reasoning = parts.filter(isReasoning).map(reasoningDetail);
    // An empty string is not JSON: a call without arguments has an empty object.
    const empty = parts.filter(isCall).filter(({ id }) => this.#calls.get(id)?.isEmpty);
    const finish = finishReasonOf(answer, this.#asFunctionCall);
    return [
      ...empty.flatMap(({ id, name }) => this.#callPiece({ id, name, arguments: '{}' })),
      ...(reasoning.length > 0 ? [this.#chunk({ reasoning_details: reasoning })] : []),
      this.#chunk({}, finish),
      ...(this.#includeUsage ? [this.#usage(answer)] : []),
    ];
  }

  #callPiece({
    id,
    name,
    arguments: text,
  }: Extract<ChatPiece, { toolCall: unknown }>['toolCall']): readonly JsonObject[] {
    const known = this.#calls.get(id);
    // `function_call` has room for one.
    if (this.#asFunctionCall && !known && this.#calls.size > 0) return [];
    const call = known ?? { index: this.#calls.size, isEmpty: true };
    this.#calls.set(id, call);
    if (text !== '') call.isEmpty = false;
    const { index } = call;
    return [
      ...(known ? [] : [this.#callChunk({ index, id, type: 'function', function: { name, arguments: '' } })]),
      ...(text === '' ? [] : [this.#callChunk({ index, function: { arguments: text } })]),
    ];
  }

  #callChunk(call: CallDelta): JsonObject {
    if (!this.#asFunctionCall) return this.#chunk({ tool_calls: [call] });
    return this.#chunk(call.function === undefined ? {} : { function_call: call.function });
  }

  #chunk(delta: Delta, reason: OpenAI.ChatCompletionChunk.Choice['finish_reason'] = null): JsonObject {
    const chunk: Chunk = {
      ...this.#head,
      choices: [{ index: 0, delta, finish_reason: reason, logprobs: null }],
      ...(this.#includeUsage && { usage: null }),
    };
    return chunk as unknown as JsonObject;
  }

  #usage(answer: ChatAnswer): JsonObject {
    const chunk: Chunk = { ...this.#head, choices: [], usage: usageOf(answer) };
    return chunk as unknown as JsonObject;
  }
}

/**
 * The server-sent events of a response, those of pieces that arrive together in one text. `[DONE]` ends a complete one only.
 *
 * @throws What `events` throw, to be sent as `errorEvent`, and Error if they end without the answer.
 */
export async function* writeChatStream(
  { id, model, createdAt }: StreamHead,
  events: AsyncIterable<readonly ChatEvent[]>,
  options: StreamOptions = {},
): AsyncGenerator<string> {
  const writer = new ChunkWriter({ id, model, created: secondsOf(createdAt) }, options);
  yield textOf(writer.begin());
  yield* writeChunks(writer, events);
}

/** The events after the first chunk. */
export async function* writeChunks(
  writer: ChunkWriter,
  batches: AsyncIterable<readonly ChatEvent[]>,
): AsyncGenerator<string> {
  for await (const events of batches) {
    let text = '';
    for (const event of events) {
      if ('resumed' in event) text += resumedComment(event);
      else if ('done' in event) {
        yield text + endOf(writer, event.done);
        return;
      } else for (const chunk of writer.piece(event)) text += textOf(chunk);
    }
    if (text !== '') yield text;
  }
  throw new Error('the stream ended without its answer');
}

function endOf(writer: ChunkWriter, answer: ChatAnswer): string {
  const chunks = writer.end(answer).map(textOf);
  // Headers have long been sent. Clients skip comments, and people who look at the stream find them.
  const warnings = answer.warnings.map((warning) => `: warning: ${warning.replaceAll(/[\r\n]+/g, ' ')}\n\n`);
  return `${chunks.join('')}${warnings.join('')}data: [DONE]\n\n`;
}

/** The end of a failing stream. */
export function errorEvent(body: string): string {
  return `data: ${body}\n\n`;
}

const textOf = (document: JsonObject): string => `data: ${JSON.stringify(document)}\n\n`;
