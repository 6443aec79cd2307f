import {
  type ChatDelta,
  type ChatRequest,
  completeChat,
  fieldsOf,
  finishDelta,
  type JsonFields,
  type ToolCall,
  textOf,
  type UpstreamClient,
  type UpstreamEvent,
} from '@patchbay/core/provider';
import { readText, readToolCall } from './chat-response.ts';
import { finishReason } from './finish-reason.ts';
import { readUsage } from './read-usage.ts';

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
      const toolCall = readToolCall(call.start, call.input === '' ? call.start['input'] : call.input, upstream);
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
