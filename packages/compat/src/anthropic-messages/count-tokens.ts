import type Anthropic from '@anthropic-ai/sdk';
import { definedMembers, estimateUsage } from '@patchbay/core/provider';
import type { MessagesRequest } from './parse-request.ts';

/** The response to `POST /v1/messages/count_tokens`. */
export interface TokenCount {
  readonly body: Anthropic.MessageTokensCount;
  /** Always present: only Anthropic counts as its models do. Sent as a header, as the body has one member. */
  readonly warnings: readonly string[];
}

/** About how many tokens a request has: the estimate that the gateway plans with. No model is called. */
export function countTokens({ choice, input, warnings }: MessagesRequest): TokenCount {
  const { messages, tools, responseSchema } = input;
  const request = { model: choice.model ?? 'auto', messages, ...definedMembers({ tools, responseSchema }) };
  return {
    body: { input_tokens: Math.max(1, estimateUsage(request, '').uncachedInputTokens) },
    warnings: [...warnings, 'the token count is an estimate'],
  };
}
