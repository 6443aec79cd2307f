import {
  type ChatDelta,
  type ChatRequest,
  completeChat,
  finishDelta,
  type ToolCall,
  textOf,
  type UpstreamClient,
  type UpstreamEvent,
} from '@patchbay/core/provider';
import { finishReasonOf, readCandidate } from './candidate.ts';
import { readUsage } from './read-usage.ts';

/** Reads a streamed response. One that ends without a finish reason has failed. */
export async function* readChatStream(
  events: AsyncIterable<UpstreamEvent>,
  request: ChatRequest,
  warnings: readonly string[],
  upstream: UpstreamClient,
): AsyncGenerator<ChatDelta> {
  const toolCalls: ToolCall[] = [];
  let content = '';
  let reason: string | undefined;
  let usage: unknown;
  let model: string | undefined;

  for await (const { data = {} } of events) {
    if (data['error']) throw upstream.streamError(data);
    usage = data['usageMetadata'] ?? usage;
    model ??= textOf(data['modelVersion']);
    const candidate = readCandidate(data, upstream);
    if (!candidate) continue;
    reason = candidate.finishReason ?? reason;
    content += candidate.text;
    if (candidate.text !== '') yield { type: 'text', text: candidate.text };
    for (const toolCall of candidate.toolCalls) {
      toolCalls.push(toolCall);
      yield { type: 'tool-call', toolCall };
    }
  }
  if (reason === undefined) throw upstream.badAnswer('ends before it is finished');
  const saidSomething = content !== '' || toolCalls.length > 0;
  const end = {
    finishReason: finishReasonOf(reason, toolCalls, upstream),
    usage: readUsage(usage, saidSomething, upstream),
    model,
  };
  yield finishDelta(completeChat({ content, toolCalls, ...end }, request, warnings, upstream));
}
