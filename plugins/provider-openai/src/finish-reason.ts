import type { FinishReason, ToolCall } from '@patchbay/core/provider';

/** Servers that speak like OpenAI say `stop` next to tool calls, or have reasons of their own. */
export function finishReason(reason: string, toolCalls: readonly ToolCall[]): FinishReason {
  if (reason === 'length') return 'length';
  if (reason === 'content_filter') return 'content-filter';
  return toolCalls.length > 0 ? 'tool-calls' : 'stop';
}
