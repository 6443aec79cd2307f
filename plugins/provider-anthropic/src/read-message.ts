import {
  type AssistantContent,
  type ChatRequest,
  type ChatResult,
  completeChat,
  type FinishReason,
  fieldsOf,
  type JsonFields,
  readTokenCount,
  textOf,
  toolCallsOf,
  type UpstreamClient,
  type Usage,
} from '@patchbay/core/provider';
import { vendorExtra } from './vendor-members.ts';

/** Members of a message that have a counterpart in the result. */
const common = ['type', 'role', 'content', 'model'];

/** Counts of `usage` that have one. */
const counted = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'output_tokens_details',
];

/**
 * The result for a message, without its content, which is read before.
 *
 * @param message With a stop reason.
 */
export function readMessage(
  message: JsonFields,
  content: AssistantContent,
  request: ChatRequest,
  warnings: readonly string[],
  upstream: UpstreamClient,
): ChatResult {
  const usage = fieldsOf(message['usage']);
  const answer = {
    content,
    finishReason: finishReason(textOf(message['stop_reason']) ?? '', content),
    usage: readUsage(usage, upstream),
    model: textOf(message['model']),
    ...vendorExtra({ ...message, usage: uncounted(usage) }, common),
  };
  return completeChat(answer, request, warnings, upstream);
}

/** The members of `usage` beyond the counts, such as the tier; null if there are none. */
function uncounted(usage: JsonFields = {}): JsonFields | null {
  const rest = Object.entries(usage).filter(([name, value]) => value !== null && !counted.includes(name));
  return rest.length > 0 ? Object.fromEntries(rest) : null;
}

function finishReason(reason: string, content: AssistantContent): FinishReason {
  if (reason === 'refusal') return 'content-filter';
  if (reason === 'max_tokens' || reason === 'model_context_window_exceeded') return 'length';
  return toolCallsOf(content).length > 0 ? 'tool-calls' : 'stop';
}

/** Anthropic's buckets do not overlap. Undefined if it does not report any. */
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
