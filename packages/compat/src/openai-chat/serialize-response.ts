import { jsonTextOf } from '@patchbay/core';
import type { JsonObject } from '@patchbay/core/plugin';
import type { AssistantPart, ReasoningPart, ToolCallPart } from '@patchbay/core/provider';
import type OpenAI from 'openai';
import type { ChatAnswer } from '../gateway-types.ts';
import { type ReasoningDetail, reasoningDetail } from './reasoning-details.ts';

export interface SerializeOptions {
  /** The request had `functions`: the call is in `function_call`. */
  readonly asFunctionCall?: boolean;
}

/** Includes the members of compatible servers that OpenAI does not have. */
interface ResponseMessage extends OpenAI.ChatCompletionMessage {
  reasoning_content?: string;
  reasoning_details?: ReasoningDetail[];
}

type Completion = Omit<OpenAI.ChatCompletion, 'choices'> & {
  choices: (Omit<OpenAI.ChatCompletion.Choice, 'message'> & { message: ResponseMessage })[];
};

type ReasonName = OpenAI.ChatCompletion.Choice['finish_reason'];

const reasons = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
} as const satisfies Record<ChatAnswer['finishReason'], ReasonName>;

/** The body of the response to a chat request that is not streamed. */
export function serializeChatAnswer(answer: ChatAnswer, { asFunctionCall = false }: SerializeOptions = {}): JsonObject {
  const completion: Completion = {
    id: answer.id,
    object: 'chat.completion',
    created: secondsOf(answer.createdAt),
    model: answer.model,
    choices: [
      {
        index: 0,
        message: messageOf(answer.message, asFunctionCall),
        finish_reason: finishReasonOf(answer, asFunctionCall),
        logprobs: null,
      },
    ],
    usage: usageOf(answer),
  };
  return completion as unknown as JsonObject;
}

function messageOf({ content, parts = [] }: ChatAnswer['message'], asFunctionCall: boolean): ResponseMessage {
  const calls = parts.filter(isCall);
  const refusal = refusalOf(parts);
  const reasoning = parts.filter(isReasoning);
  const text = reasoning.map((part) => part.text).join('');
  const [first] = calls;
  return {
    role: 'assistant',
    // With a call or a refusal, an absent text is null.
    content: content === '' && (first || refusal !== null) ? null : content,
    refusal,
    ...(text !== '' && { reasoning_content: text }),
    ...(reasoning.length > 0 && { reasoning_details: reasoning.map(reasoningDetail) }),
    ...(first && (asFunctionCall ? { function_call: functionOf(first) } : { tool_calls: calls.map(toolCallOf) })),
  };
}

export const isCall = (part: AssistantPart): part is ToolCallPart => part.type === 'tool-call';
export const isReasoning = (part: AssistantPart): part is ReasoningPart => part.type === 'reasoning';

function refusalOf(parts: readonly AssistantPart[]): string | null {
  const refusals = parts.filter((part) => part.type === 'refusal');
  return refusals.length > 0 ? refusals.map(({ text }) => text).join('') : null;
}

function toolCallOf(call: ToolCallPart): OpenAI.ChatCompletionMessageFunctionToolCall {
  return { id: call.id, type: 'function', function: functionOf(call) };
}

function functionOf(call: ToolCallPart): OpenAI.ChatCompletionMessageFunctionToolCall.Function {
  return { name: call.name, arguments: jsonTextOf(call.arguments) };
}

export function finishReasonOf(
  { message, finishReason }: Pick<ChatAnswer, 'message' | 'finishReason'>,
  asFunctionCall: boolean,
): ReasonName {
  // The words of a refusal are a complete answer, whatever its vendor calls the finish reason.
  if (finishReason === 'content-filter' && message.parts?.some(({ type }) => type === 'refusal')) return 'stop';
  return asFunctionCall && finishReason === 'tool-calls' ? 'function_call' : reasons[finishReason];
}

export function usageOf(answer: ChatAnswer): OpenAI.CompletionUsage {
  const { promptTokens, completionTokens, totalTokens, usage } = answer;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: totalTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cacheReadTokens,
      ...(usage.cacheWriteTokens > 0 && { cache_write_tokens: usage.cacheWriteTokens }),
    },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}

/** Seconds since 1970, of an ISO 8601 date. */
export function secondsOf(date: string): number {
  return Math.floor(Date.parse(date) / 1_000);
}
