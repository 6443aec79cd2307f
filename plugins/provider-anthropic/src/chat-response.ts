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
  readTokenCount,
  readToolCall,
  type ToolCall,
  textOf,
  type UpstreamClient,
  type UpstreamEvent,
  type UpstreamFaultKind,
  type Usage,
  type VendorError,
} from '@patchbay/core/provider';

/** Parses a message. An invalid one is a failure, never a result. */
export function readChat(
  document: JsonFields,
  request: ChatRequest,
  warnings: readonly string[],
  upstream: UpstreamClient,
): ChatResult {
  const { badAnswer } = upstream;
  const blocks = listOf(document['content']);
  const reason = textOf(document['stop_reason']);
  if (!blocks || reason === undefined) throw badAnswer('has no finished content', document);

  const toolCalls: ToolCall[] = [];
  let content = '';
  for (const value of blocks) {
    const block = fieldsOf(value);
    if (!block) throw badAnswer('has content that is no block', document);
    if (block['type'] === 'text') content += readText(block, upstream);
    if (block['type'] === 'tool_use') toolCalls.push(readCall(block, block['input'], upstream));
  }
  const usage = readUsage(fieldsOf(document['usage']), upstream);
  const answer = {
    content,
    toolCalls,
    finishReason: finishReason(reason, toolCalls),
    usage,
    model: textOf(document['model']),
  };
  return completeChat(answer, request, warnings, upstream);
}

function readText(block: JsonFields, { badAnswer }: UpstreamClient): string {
  const text = textOf(block['text']);
  if (text === undefined) throw badAnswer('has a text that is none', block);
  return text;
}

function readCall(block: JsonFields, input: unknown, upstream: UpstreamClient): ToolCall {
  return readToolCall({ id: block['id'], name: block['name'], arguments: input }, upstream);
}

/** Reads a streamed message. One without a stop reason has failed; `message_stop` may be missing. */
export async function* readChatStream(
  events: AsyncIterable<UpstreamEvent>,
  request: ChatRequest,
  warnings: readonly string[],
  upstream: UpstreamClient,
): AsyncGenerator<ChatDelta> {
  const { badAnswer } = upstream;
  const toolCalls: ToolCall[] = [];
  let call: { readonly start: JsonFields; input: string } | undefined;
  let content = '';
  let reason: string | undefined;
  let usage: JsonFields | undefined;
  let model: string | undefined;

  for await (const { data = {} } of events) {
    const type = data['type'];
    const delta = fieldsOf(data['delta']) ?? {};
    if (type === 'error') throw upstream.streamError(data);
    if (type === 'message_start') {
      const message = fieldsOf(data['message']);
      usage = fieldsOf(message?.['usage']);
      model = textOf(message?.['model']);
    }
    if (type === 'content_block_start') {
      const start = fieldsOf(data['content_block']) ?? {};
      call = start['type'] === 'tool_use' ? { start, input: '' } : undefined;
    }
    if (type === 'content_block_delta') {
      const text = delta['type'] === 'text_delta' ? readText(delta, upstream) : '';
      const written = textOf(delta['partial_json']) ?? '';
      if (call) call.input += written;
      content += text;
      if (text !== '') yield { type: 'text', text };
      if (call && written !== '' && toolCalls.length === 0) yield { type: 'tool-arguments', text: written };
    }
    if (type === 'content_block_stop' && call) {
      const toolCall = readCall(call.start, call.input === '' ? call.start['input'] : call.input, upstream);
      call = undefined;
      toolCalls.push(toolCall);
      yield { type: 'tool-call', toolCall };
    }
    if (type === 'message_delta') {
      reason = textOf(delta['stop_reason']) ?? reason;
      // The counts at the end are totals; those that it leaves out stay as they were at the beginning.
      usage = { ...usage, ...countsOf(data['usage']) };
    }
    if (type === 'message_stop') break;
  }
  if (reason === undefined || call) throw badAnswer('ends before it is finished');
  const end = { finishReason: finishReason(reason, toolCalls), usage: readUsage(usage, upstream), model };
  yield finishDelta(completeChat({ content, toolCalls, ...end }, request, warnings, upstream));
}

function countsOf(value: unknown): JsonFields {
  return Object.fromEntries(Object.entries(fieldsOf(value) ?? {}).filter(([, count]) => count !== null));
}

function finishReason(reason: string, toolCalls: readonly ToolCall[]): FinishReason {
  if (reason === 'refusal') return 'content-filter';
  if (reason === 'max_tokens' || reason === 'model_context_window_exceeded') return 'length';
  return toolCalls.length > 0 ? 'tool-calls' : 'stop';
}

/** Anthropic's buckets do not overlap. Undefined where it does not say. */
function readUsage(usage: JsonFields | undefined, { badAnswer }: UpstreamClient): Usage | undefined {
  const count = (of: unknown) => readTokenCount(of, badAnswer);
  const input = count(usage?.['input_tokens']);
  const output = count(usage?.['output_tokens']);
  const read = count(usage?.['cache_read_input_tokens']) ?? 0;
  const written = count(usage?.['cache_creation_input_tokens']) ?? 0;
  const thinking = count(fieldsOf(usage?.['output_tokens_details'])?.['thinking_tokens']) ?? 0;
  if (input === undefined || output === undefined) return undefined;
  if (thinking > output) throw badAnswer('counts more tokens in a part than in the whole');
  return {
    uncachedInputTokens: input,
    cacheReadTokens: read,
    cacheWriteTokens: written,
    outputTokens: output,
    reasoningTokens: thinking,
  };
}

const types: Readonly<Record<string, UpstreamFaultKind>> = {
  authentication_error: 'auth',
  permission_error: 'auth',
  billing_error: 'auth',
  not_found_error: 'model_gone',
  request_too_large: 'context_length',
  rate_limit_error: 'rate_limited',
  overloaded_error: 'failed',
  api_error: 'failed',
  timeout_error: 'failed',
};

/** `invalid_request_error` tells its causes apart in words only, which may repeat the request: all of them are its faults. */
const sentences: readonly (readonly [RegExp, UpstreamFaultKind])[] = [
  [/prompt is too long|context (window|limit|length)/i, 'context_length'],
  [/content filter|content policy|blocked by/i, 'content_filter'],
  [/(not|n't) (be )?(support|allowed|permitted|available)|deprecated|non-empty|prefill/i, 'unsupported'],
];

/** Reads `{ type: "error", error: { type, message } }`. */
export function readError(document: JsonFields, status: number | undefined): VendorError {
  const error = fieldsOf(document['error']);
  const type = textOf(error?.['type']) ?? '';
  if (types[type]) return { kind: types[type] };
  if (status !== 400 && type !== 'invalid_request_error') return {};
  const message = textOf(error?.['message']) ?? '';
  const kind = sentences.find(([pattern]) => pattern.test(message))?.[1];
  return { kind: kind ?? (status === undefined ? 'rejected' : undefined) };
}
