import {
  type ChatDelta,
  type ChatRequest,
  completeChat,
  fieldsOf,
  finishDelta,
  type ToolCall,
  textOf,
  type UpstreamClient,
  type UpstreamEvent,
} from '@patchbay/core/provider';
import { isCall, readCall, readEnd } from './response-answer.ts';

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
