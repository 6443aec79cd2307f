import type { FinishReason, ToolCall } from '@patchbay/core/provider';

export function finishReason(reason: string, toolCalls: readonly ToolCall[]): FinishReason {
  if (reason === 'refusal') return 'content-filter';
  if (reason === 'max_tokens' || reason === 'model_context_window_exceeded') return 'length';
  return toolCalls.length > 0 ? 'tool-calls' : 'stop';
}
