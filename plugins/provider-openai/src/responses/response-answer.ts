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
import { finishReason } from '../chat-response.ts';

/** Parses a response. An invalid or unfinished one is a failure, never a result. */
export function readResponse(
  document: JsonFields,
  request: ChatRequest,
  warnings: readonly string[],
  upstream: UpstreamClient,
): ChatResult {
  const items = listOf(document['output'])?.map(fieldsOf);
  if (!items?.every((item) => item !== undefined)) throw upstream.badAnswer('has no list of output', document);
  const content = items.map((item) => readText(item, upstream)).join('');
  const toolCalls = items.filter(isCall).map((item) => readCall(item, upstream));
  const refused = items.some((item) => contentOf(item).some(isRefusal));
  const end = readEnd(document, refused, toolCalls, upstream);
  return completeChat({ content, toolCalls, ...end }, request, warnings, upstream);
}

/** The end of a response: its reason and its usage. */
function readEnd(
  document: JsonFields,
  refused: boolean,
  toolCalls: readonly ToolCall[],
  upstream: UpstreamClient,
): { readonly finishReason: FinishReason; readonly usage: Usage | undefined } {
  const status = textOf(document['status']);
  if (status === 'failed') throw upstream.streamError(document);
  const reason = textOf(fieldsOf(document['incomplete_details'])?.['reason']);
  if (status !== 'completed' && !(status === 'incomplete' && reason))
    throw upstream.badAnswer('is not finished', document);
  const usage = readUsage(countsOf(document), upstream);
  const said = refused ? 'content_filter' : reason === 'max_output_tokens' ? 'length' : (reason ?? 'stop');
  return { finishReason: finishReason(said, toolCalls), usage };
}

const isCall = (item: JsonFields): boolean => item['type'] === 'function_call';

function readCall(item: JsonFields, upstream: UpstreamClient): ToolCall {
  return readToolCall({ id: item['call_id'], name: item['name'], arguments: item['arguments'] }, upstream);
}

function readText(item: JsonFields, { badAnswer }: UpstreamClient): string {
  if (item['type'] === 'message' && !listOf(item['content'])) throw badAnswer('has a message without content', item);
  return contentOf(item)
    .filter((part) => part['type'] === 'output_text')
    .map((part) => {
      const text = textOf(part['text']);
      if (text === undefined) throw badAnswer('has a text that is none', item);
      return text;
    })
    .join('');
}

function contentOf(item: JsonFields): readonly JsonFields[] {
  if (item['type'] !== 'message') return [];
  return (listOf(item['content']) ?? []).map((part) => fieldsOf(part) ?? {});
}

const isRefusal = (part: JsonFields): boolean => part['type'] === 'refusal';

function countsOf(document: JsonFields): TokenCounts {
  const usage = fieldsOf(document['usage']);
  const question = fieldsOf(usage?.['input_tokens_details']);
  return {
    input: usage?.['input_tokens'],
    output: usage?.['output_tokens'],
    cacheRead: question?.['cached_tokens'],
    cacheWrite: question?.['cache_write_tokens'],
    reasoning: fieldsOf(usage?.['output_tokens_details'])?.['reasoning_tokens'],
    total: usage?.['total_tokens'],
  };
}

/** Reads a streamed response. One that ends before it says that it is complete, or why it is not, has failed. */
export async function* readResponseStream(
  events: AsyncIterable<UpstreamEvent>,
  request: ChatRequest,
  warnings: readonly string[],
  upstream: UpstreamClient,
): AsyncGenerator<ChatDelta> {
  const { badAnswer } = upstream;
  const toolCalls: ToolCall[] = [];
  let content = '';
  let refused = false;

  for await (const { data = {} } of events) {
    switch (data['type']) {
      case 'response.output_text.delta': {
        const text = textOf(data['delta']);
        if (text === undefined) throw badAnswer('has a text that is none', data);
        content += text;
        if (text !== '') yield { type: 'text', text };
        break;
      }
      case 'response.function_call_arguments.delta': {
        const text = textOf(data['delta']) ?? '';
        if (text !== '' && toolCalls.length === 0) yield { type: 'tool-arguments', text };
        break;
      }
      case 'response.refusal.delta':
        refused = true;
        break;
      case 'response.output_item.done': {
        const item = fieldsOf(data['item']) ?? {};
        if (!isCall(item)) break;
        const toolCall = readCall(item, upstream);
        toolCalls.push(toolCall);
        yield { type: 'tool-call', toolCall };
        break;
      }
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed': {
        const end = readEnd(fieldsOf(data['response']) ?? {}, refused, toolCalls, upstream);
        yield finishDelta(completeChat({ content, toolCalls, ...end }, request, warnings, upstream));
        return;
      }
      case 'error':
        throw upstream.streamError(data);
    }
  }
  throw badAnswer('ends before it is finished');
}
