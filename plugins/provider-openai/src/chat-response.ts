import {
  type ChatDelta,
  type ChatRequest,
  type ChatResult,
  ContentBuilder,
  completeChat,
  type FinishReason,
  fieldsOf,
  finishDelta,
  type JsonFields,
  listOf,
  readUsage,
  type StreamReader,
  type TokenCounts,
  textOf,
  type UpstreamClient,
  type Usage,
} from '@patchbay/core/provider';
import { asExtra, mergeList, mergeMembers, otherMembers } from './extra.ts';
import { readCall, StreamedCalls } from './streamed-calls.ts';

/** Parses a chat completion. An invalid one is a failure, never a result. */
export function readChat(
  document: JsonFields,
  request: ChatRequest,
  warnings: readonly string[],
  upstream: UpstreamClient,
): ChatResult {
  const { badAnswer } = upstream;
  const choice = fieldsOf(listOf(document['choices'])?.[0]);
  const message = fieldsOf(choice?.['message']);
  const reason = textOf(choice?.['finish_reason']);
  if (!message || reason === undefined) throw badAnswer('has no finished choice', document);

  const calls = listOf(message['tool_calls'] ?? []);
  if (!calls) throw badAnswer('has tool calls that are no list', document);
  const said = new ContentBuilder();
  const details = listOf(message['reasoning_details']) ?? [];
  const pieces = messagePieces(message, upstream);
  for (const { type, text } of pieces.filter(isReasoning)) said.add(type, text);
  if (details.length > 0) said.endReasoning({ encrypted: JSON.stringify(details) });
  const answer = pieces.filter((piece) => !isReasoning(piece));
  for (const { type, text } of answer) said.add(type, text);
  for (const call of calls) said.call(readCall(call, upstream));
  const refused = answer.some(({ type }) => type === 'refusal');
  const finish = finishReason(refused ? 'content_filter' : reason, calls.length > 0);
  return completeChat(
    {
      content: said.content,
      finishReason: finish,
      usage: readChatUsage(document['usage'], upstream),
      model: textOf(document['model']),
      ...asExtra('openai-chat', otherMembers(choice, message)),
    },
    request,
    warnings,
    upstream,
  );
}

const delta = '/choices/0/delta';
const joins = {
  growing: new Set([`${delta}/content`, `${delta}/reasoning_content`, `${delta}/reasoning`]),
  beside: new Set(['role']),
  replaced: new Set(['/created', '/id', '/obfuscation']),
} satisfies StreamReader['joins'];

const none: JsonFields = {};
const nothing: readonly unknown[] = [];

const isReasoning = ({ type }: { readonly type: string }): boolean => type === 'reasoning';

/**
 * Reads a streamed chat completion. One without a finish reason has failed; `[DONE]` may be missing, as many compatible
 * servers never send it.
 */
export function chatReader(request: ChatRequest, warnings: readonly string[], upstream: UpstreamClient): StreamReader {
  const { badAnswer } = upstream;
  let calls: StreamedCalls | undefined;
  const said = new ContentBuilder();
  const others: Record<string, unknown> = {};
  let details: unknown[] = [];
  let refused = false;
  let reason: string | undefined;
  let usage: unknown;
  let model: string | undefined;

  /** OpenRouter's form of the reasoning, which it wants back. It is complete when the answer begins. */
  const endReasoning = (): ChatDelta => {
    const encrypted = JSON.stringify(details);
    details = [];
    said.endReasoning({ encrypted });
    return { type: 'reasoning-end', encrypted };
  };

  return {
    joins,
    read({ data }, deltas) {
      if (!data) return true;
      if (data['error']) throw upstream.streamError(data);
      usage = data['usage'] ?? usage;
      model ??= textOf(data['model']);
      const choice = fieldsOf(listOf(data['choices'])?.[0]);
      reason = textOf(choice?.['finish_reason']) ?? reason;
      const delta = fieldsOf(choice?.['delta']) ?? none;
      mergeMembers(others, otherMembers(choice, delta));
      mergeList(details, listOf(delta['reasoning_details']) ?? nothing);
      for (const piece of messagePieces(delta, upstream)) {
        if (details.length > 0 && !isReasoning(piece)) deltas.push(endReasoning());
        if (piece.type === 'refusal') refused = true;
        said.add(piece.type, piece.text);
        deltas.push(piece);
      }
      for (const value of listOf(delta['tool_calls']) ?? nothing) {
        calls ??= new StreamedCalls(upstream);
        const piece = calls.add(value);
        if (piece) deltas.push(piece);
      }
      return false;
    },
    end(deltas) {
      if (reason === undefined) throw badAnswer('ends before it is finished');
      if (details.length > 0) deltas.push(endReasoning());
      const { toolCalls = [], pieces = [] } = calls?.end() ?? {};
      for (const toolCall of toolCalls) said.call(toolCall);
      const result = completeChat(
        {
          content: said.content,
          finishReason: finishReason(refused ? 'content_filter' : reason, toolCalls.length > 0),
          usage: readChatUsage(usage, upstream),
          model,
          ...asExtra('openai-chat', others),
        },
        request,
        warnings,
        upstream,
      );
      deltas.push(...pieces);
      for (const toolCall of toolCalls) deltas.push({ type: 'tool-call', toolCall });
      deltas.push(finishDelta(result));
    },
  };
}

/** OpenAI-compatible servers return `stop` next to tool calls, or other reasons. */
export function finishReason(reason: string, hasCalls: boolean): FinishReason {
  if (reason === 'length') return 'length';
  if (reason === 'content_filter') return 'content-filter';
  return hasCalls ? 'tool-calls' : 'stop';
}

/** Reads the usage of a chat completion, of OpenAI and of every server that is compatible with it. */
function readChatUsage(value: unknown, upstream: UpstreamClient): Usage | undefined {
  const usage = fieldsOf(value);
  const prompt = fieldsOf(usage?.['prompt_tokens_details']);
  const counts: TokenCounts = {
    input: usage?.['prompt_tokens'],
    output: usage?.['completion_tokens'],
    cacheRead: prompt?.['cached_tokens'],
    cacheWrite: prompt?.['cache_write_tokens'],
    reasoning: fieldsOf(usage?.['completion_tokens_details'])?.['reasoning_tokens'],
    total: usage?.['total_tokens'],
  };
  return readUsage(counts, upstream);
}

/** A text of a message, or a piece of it. */
interface MessagePiece {
  readonly type: 'text' | 'refusal' | 'reasoning';
  readonly text: string;
}

/** The texts of a message, or of a delta of one, in the order in which models write them. None is empty. */
function messagePieces(message: JsonFields, { badAnswer }: UpstreamClient): readonly MessagePiece[] {
  const pieces: MessagePiece[] = [];
  // Some servers send the reasoning under both of its names.
  const reasoning = textOf(message['reasoning_content']) || textOf(message['reasoning']);
  if (reasoning) pieces.push({ type: 'reasoning', text: reasoning });
  const content = message['content'] ?? '';
  if (typeof content === 'string') {
    if (content !== '') pieces.push({ type: 'text', text: content });
  } else {
    const parts = listOf(content);
    if (!parts) throw badAnswer('has content that is no text', message);
    for (const part of parts) {
      const piece = contentPiece(fieldsOf(part) ?? {});
      if (!piece) throw badAnswer('has content of an unknown kind', part);
      if (piece.text !== '') pieces.push(piece);
    }
  }
  const refusal = textOf(message['refusal']);
  if (refusal) pieces.push({ type: 'refusal', text: refusal });
  return pieces;
}

/** Mistral's reasoning models answer in parts. */
function contentPiece(part: JsonFields): MessagePiece | undefined {
  const { type, thinking } = part;
  if (type === 'thinking') {
    const texts = listOf(thinking)?.map((each) => textOf(fieldsOf(each)?.['text']) ?? '');
    return { type: 'reasoning', text: texts?.join('') ?? textOf(thinking) ?? '' };
  }
  const text = textOf(part[type === 'refusal' ? 'refusal' : 'text']);
  return (type === 'text' || type === 'refusal') && text !== undefined ? { type, text } : undefined;
}
