import {
  type AssistantContent,
  type AssistantPart,
  type ChatRequest,
  type ChatResult,
  ContentBuilder,
  completeChat,
  type FinishReason,
  fieldsOf,
  finishDelta,
  type JsonFields,
  listOf,
  readTokenCount,
  type StreamReader,
  textOf,
  toolCallsOf,
  type UpstreamClient,
  type Usage,
} from '@patchbay/core/provider';
import { BlockStream, readBlock } from './block-stream.ts';
import { vendorExtra } from './vendor-members.ts';

/** Parses a message. An invalid one is a failure, never a result. */
export function readChat(
  document: JsonFields,
  request: ChatRequest,
  warnings: readonly string[],
  upstream: UpstreamClient,
): ChatResult {
  const blocks = listOf(document['content']);
  const isFinished = textOf(document['stop_reason']) !== undefined;
  if (!blocks || !isFinished) throw upstream.badAnswer('has no finished content', document);
  const parts = blocks.flatMap((block) => readBlock(block, upstream));
  return readMessage(document, contentOf(parts), request, warnings, upstream);
}

/** A single text becomes a string. */
function contentOf(parts: readonly AssistantPart[]): AssistantContent {
  const [only, more] = parts;
  if (only === undefined) return '';
  return only.type === 'text' && more === undefined && !only.extra ? only.text : parts;
}

const joins = {
  growing: new Set(['/delta/text', '/delta/thinking']),
  beside: new Set(['type']),
  replaced: new Set(),
} satisfies StreamReader['joins'];

/** Reads a streamed message. One without a stop reason has failed; `message_stop` may be missing. */
export function chatReader(request: ChatRequest, warnings: readonly string[], upstream: UpstreamClient): StreamReader {
  const blocks = new BlockStream(upstream);
  const built = new ContentBuilder();
  let message: JsonFields = {};

  return {
    joins,
    read({ data = {} }, deltas) {
      if (data['type'] === 'error') throw upstream.streamError(data);
      if (data['type'] === 'message_start') message = fieldsOf(data['message']) ?? {};
      if (data['type'] === 'message_delta') {
        // The counts at the end are totals; those that it leaves out stay as they were at the beginning.
        const usage = { ...fieldsOf(message['usage']), ...saidBy(data['usage']) };
        const counts = Object.keys(usage).length > 0 ? { usage } : {};
        message = { ...message, ...saidBy(data['delta']), ...counts };
      }
      if (data['type'] === 'message_stop') return true;
      for (const delta of blocks.read(data)) {
        built.take(delta);
        deltas.push(delta);
      }
      return false;
    },
    end(deltas) {
      const isFinished = textOf(message['stop_reason']) !== undefined;
      if (!isFinished || blocks.hasOpenBlock) throw upstream.badAnswer('ends before it is finished');
      const adapted = [...warnings, ...blocks.warnings];
      deltas.push(finishDelta(readMessage(message, built.content, request, adapted, upstream)));
    },
  };
}

/** The members that are not null. */
function saidBy(value: unknown): JsonFields {
  return Object.fromEntries(Object.entries(fieldsOf(value) ?? {}).filter(([, said]) => said !== null));
}

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
function readMessage(
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
