import { type ChatRequest, definedMembers, type ModelInfo, providerError } from '@patchbay/core/provider';
import type OpenAI from 'openai';
import { responseFormat } from '../response-format.ts';
import { inputItems } from './input-items.ts';

/** The API takes no fewer. */
const LEAST_TOKENS = 16;

export interface OpenAiResponse {
  readonly body: OpenAI.Responses.ResponseCreateParamsNonStreaming;
  /** What had to be expressed in another way. */
  readonly warnings: readonly string[];
}

/** @param provider Name of the provider, for messages. */
export function responseRequest(provider: string, model: ModelInfo, request: ChatRequest): OpenAiResponse {
  const { maxTokens } = request;
  if (maxTokens !== undefined && maxTokens < LEAST_TOKENS) {
    throw providerError('unsupported', `${provider}/${model.name} does not take maxTokens below ${LEAST_TOKENS}`);
  }
  for (const name of ['frequencyPenalty', 'presencePenalty'] as const) {
    if (request[name]) throw providerError('unsupported', `${provider}/${model.name} does not take ${name}`);
  }
  const format = request.responseSchema && responseFormat(request.responseSchema);
  const withTools = Boolean(request.tools?.length);
  const body: OpenAI.Responses.ResponseCreateParamsNonStreaming = {
    model: model.name,
    input: inputItems(provider, request.messages),
    // Otherwise OpenAI keeps every answer for a month.
    store: false,
    ...definedMembers({
      max_output_tokens: maxTokens,
      temperature: request.temperature,
      top_p: request.topP,
      tools: withTools ? request.tools?.map(toolOf) : undefined,
      tool_choice: withTools ? toolChoice(request.toolChoice) : undefined,
      text: format && { format: { type: 'json_schema' as const, ...format.format } },
    }),
  };
  return { body, warnings: format?.warnings ?? [] };
}

function toolOf({ name, description, parameters }: NonNullable<ChatRequest['tools']>[number]) {
  // Not strict: then every schema is taken as it is. The gateway checks the arguments.
  return {
    type: 'function' as const,
    name,
    ...definedMembers({ description }),
    parameters: { ...parameters },
    strict: false,
  };
}

function toolChoice(choice: ChatRequest['toolChoice']) {
  return typeof choice === 'object' ? { type: 'function' as const, name: choice.name } : choice;
}
