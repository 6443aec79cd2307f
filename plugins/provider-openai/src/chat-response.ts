import {
  type ChatDelta,
  type ChatRequest,
  type ChatResult,
  completeChat,
  type FinishReason,
  fieldsOf,
  finishDelta,
  type JsonFields,
  listOf,
  readToolCall,
  readUsage,
  type TokenCounts,
  type ToolCall,
  textOf,
  type UpstreamClient,
  type UpstreamEvent,
  type Usage,
} from '@patchbay/core/provider';

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

  const calls = message['tool_calls'] ?? [];
  const toolCalls = listOf(calls)?.map((value) => {
    const call = fieldsOf(value);
    return readToolCall({ id: call?.['id'], ...targetOf(call) }, upstream);
  });
  if (!toolCalls) throw badAnswer('has tool calls that are no list', document);
  const content = message['content'] ?? '';
  if (typeof content !== 'string') throw badAnswer('has content that is no text', document);
  const refused = Boolean(textOf(message['refusal']));
  const usage = readChatUsage(document['usage'], upstream);
  const finish = finishReason(refused ? 'content_filter' : reason, toolCalls);
  const model = textOf(document['model']);
  return completeChat({ content, toolCalls, finishReason: finish, usage, model }, request, warnings, upstream);
}

function targetOf(call: JsonFields | undefined): { readonly name: unknown; readonly arguments: unknown } {
  const target = fieldsOf(call?.['function']);
  return { name: target?.['name'], arguments: target?.['arguments'] };
}

interface PartialCall {
  id: string;
  name: string;
  arguments: string;
}

/**
 * Reads a streamed chat completion. One without a finish reason has failed; `[DONE]` may be missing, as many compatible
 * servers never send it.
 */
export async function* readChatStream(
  events: AsyncIterable<UpstreamEvent>,
  request: ChatRequest,
  warnings: readonly string[],
  upstream: UpstreamClient,
): AsyncGenerator<ChatDelta> {
  const { badAnswer } = upstream;
  const calls = new Map<number, PartialCall>();
  let content = '';
  let refused = false;
  let reason: string | undefined;
  let usage: unknown;
  let model: string | undefined;

  for await (const { data } of events) {
    if (!data) break;
    if (data['error']) throw upstream.streamError(data);
    usage = data['usage'] ?? usage;
    model ??= textOf(data['model']);
    const choice = fieldsOf(listOf(data['choices'])?.[0]);
    reason = textOf(choice?.['finish_reason']) ?? reason;
    const delta = fieldsOf(choice?.['delta']) ?? {};
    if (textOf(delta['refusal'])) refused = true;
    let written = '';
    for (const piece of listOf(delta['tool_calls']) ?? []) written += addToCall(calls, piece, upstream);
    if (written !== '') yield { type: 'tool-arguments', text: written };
    const text = delta['content'] ?? '';
    if (typeof text !== 'string') throw badAnswer('has content that is no text', data);
    if (text === '') continue;
    content += text;
    yield { type: 'text', text };
  }
  if (reason === undefined) throw badAnswer('ends before it is finished');

  const toolCalls = [...calls.values()].map((call) => readToolCall(call, upstream));
  const finish = finishReason(refused ? 'content_filter' : reason, toolCalls);
  const answer = { content, toolCalls, finishReason: finish, usage: readChatUsage(usage, upstream), model };
  const result = completeChat(answer, request, warnings, upstream);
  for (const toolCall of toolCalls) yield { type: 'tool-call', toolCall };
  yield finishDelta(result);
}

/**
 * The pieces of a call carry its index; id and name come with the first one.
 *
 * @returns What was written of the arguments of the first call.
 */
function addToCall(calls: Map<number, PartialCall>, value: unknown, { badAnswer }: UpstreamClient): string {
  const piece: JsonFields = fieldsOf(value) ?? {};
  const target = targetOf(piece);
  const index = piece['index'] ?? calls.size;
  if (typeof index !== 'number') throw badAnswer('has a tool call at no place', value);
  const call = calls.get(index) ?? { id: '', name: '', arguments: '' };
  call.id ||= textOf(piece['id']) ?? '';
  call.name ||= textOf(target.name) ?? '';
  const written = textOf(target.arguments) ?? '';
  call.arguments += written;
  calls.set(index, call);
  return calls.keys().next().value === index ? written : '';
}

/** Servers that speak like OpenAI say `stop` next to tool calls, or have other reasons. */
export function finishReason(reason: string, toolCalls: readonly ToolCall[]): FinishReason {
  if (reason === 'length') return 'length';
  if (reason === 'content_filter') return 'content-filter';
  return toolCalls.length > 0 ? 'tool-calls' : 'stop';
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
