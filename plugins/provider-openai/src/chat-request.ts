import { type ChatRequest, definedMembers, type ModelInfo } from '@patchbay/core/provider';
import type OpenAI from 'openai';
import { toolsNeedNoReasoning } from './catalogue.ts';
import { chatMessages } from './chat-messages.ts';
import { responseFormat } from './response-format.ts';

export interface OpenAiChat {
  readonly body: OpenAI.ChatCompletionCreateParamsNonStreaming;
  /** What had to be expressed in another way. */
  readonly warnings: readonly string[];
}

/** @param provider Name of the provider, for messages. */
export function chatRequest(provider: string, model: ModelInfo, request: ChatRequest): OpenAiChat {
  const format = request.responseSchema && responseFormat(request.responseSchema);
  const withTools = Boolean(request.tools?.length);
  const withoutReasoning = withTools && model.vendor === 'openai' && toolsNeedNoReasoning.has(model.name);
  const body: OpenAI.ChatCompletionCreateParamsNonStreaming = {
    model: model.name,
    messages: chatMessages(provider, request.messages),
    ...definedMembers({
      // OpenAI has renamed this. Other servers know the old name.
      [model.vendor === 'openai' ? 'max_completion_tokens' : 'max_tokens']: request.maxTokens,
      temperature: request.temperature,
      top_p: request.topP,
      frequency_penalty: request.frequencyPenalty,
      presence_penalty: request.presencePenalty,
      tools: withTools ? request.tools?.map(toolOf) : undefined,
      tool_choice: withTools ? toolChoice(request.toolChoice) : undefined,
      response_format: format && { type: 'json_schema' as const, json_schema: format.format },
      reasoning_effort: withoutReasoning ? ('none' as const) : undefined,
    }),
  };
  const warning = `${provider}/${model.name} answers without reasoning, because it takes no tools otherwise`;
  return { body, warnings: [...(format?.warnings ?? []), ...(withoutReasoning ? [warning] : [])] };
}

function toolOf({ name, description, parameters }: NonNullable<ChatRequest['tools']>[number]) {
  // Not strict: then every schema is taken as it is. The gateway checks the arguments.
  return {
    type: 'function' as const,
    function: { name, ...definedMembers({ description }), parameters: { ...parameters } },
  };
}

function toolChoice(choice: ChatRequest['toolChoice']): OpenAI.ChatCompletionToolChoiceOption | undefined {
  if (typeof choice === 'object') return { type: 'function', function: { name: choice.name } };
  return choice;
}
