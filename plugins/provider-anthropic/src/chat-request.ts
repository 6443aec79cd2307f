import type Anthropic from '@anthropic-ai/sdk';
import {
  type ChatRequest,
  definedMembers,
  type ModelInfo,
  providerError,
  splitSystemMessages,
} from '@patchbay/core/provider';
import { thinksByDefault } from './catalogue.ts';
import { conversation } from './conversation.ts';
import { outputSchema } from './output-format.ts';
import { toolUse } from './tool-choice.ts';

export interface AnthropicChat {
  readonly body: Anthropic.MessageCreateParamsNonStreaming;
  /** What had to be expressed in another way. */
  readonly warnings: readonly string[];
}

/** @param provider Name of the provider, for messages. */
export function chatRequest(provider: string, model: ModelInfo, request: ChatRequest): AnthropicChat {
  if (request.temperature !== undefined && request.topP !== undefined) {
    throw providerError('unsupported', `${provider}/${model.name} takes temperature or topP, not both`);
  }
  const { system, turns, warnings } = splitSystemMessages(provider, request.messages);
  const use = toolUse(provider, model, request);
  const format = request.responseSchema && outputSchema(provider, request.responseSchema);
  const limit = tokenLimit(provider, model, request.maxTokens);
  const instructions = [...system, ...(use.instruction ? [use.instruction] : [])];
  const body: Anthropic.MessageCreateParamsNonStreaming = {
    model: model.name,
    max_tokens: limit.maxTokens,
    messages: conversation(provider, turns),
    ...definedMembers({
      system: instructions.length > 0 ? instructions.map((text) => ({ type: 'text' as const, text })) : undefined,
      temperature: request.temperature,
      top_p: request.topP,
      tools: use.tools,
      tool_choice: use.choice,
      output_config: format && { format: { type: 'json_schema' as const, schema: { ...format.schema } } },
    }),
  };
  return { body, warnings: [...warnings, ...use.warnings, ...(format?.warnings ?? []), ...limit.warnings] };
}

/** Anthropic takes no request without a limit. A model that thinks spends a part of it before it says anything. */
function tokenLimit(provider: string, model: ModelInfo, asked: number | undefined) {
  if (asked !== undefined) return { maxTokens: asked, warnings: [] };
  const usual = thinksByDefault.has(model.name) ? 16_384 : 4_096;
  const maxTokens = Math.min(usual, model.maxTokens ?? usual);
  return { maxTokens, warnings: [`${provider}/${model.name} needs maxTokens: it was set to ${maxTokens}`] };
}
