import {
  type ChatRequest,
  type ContentPart,
  definedMembers,
  jsonTextOf,
  type Message,
  type ModelInfo,
  portableToolCallId,
  providerError,
} from '@patchbay/core/provider';
import type OpenAI from 'openai';
import { toolsNeedNoReasoning } from './catalogue.ts';
import { type Preset, shortToolCallId } from './presets.ts';
import { responseFormat } from './response-format.ts';

/**
 * The body of a request, and warnings of what was expressed in another way.
 *
 * @param provider Name of the provider, for messages.
 */
export function chatRequest(provider: string, model: ModelInfo, request: ChatRequest, preset?: Preset) {
  const callId = preset?.shortToolCallIds ? shortToolCallId : portableToolCallId;
  const format = request.responseSchema && responseFormat(request.responseSchema);
  const withTools = Boolean(request.tools?.length);
  const withoutReasoning = withTools && model.vendor === 'openai' && toolsNeedNoReasoning.has(model.name);
  const body: OpenAI.ChatCompletionCreateParamsNonStreaming = {
    model: model.name,
    messages: request.messages.map((message) => chatMessage(provider, message, callId)),
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

/**
 * @param provider Name of the provider, for messages.
 * @param callId Makes ids of tool calls that the server takes.
 */
function chatMessage(
  provider: string,
  message: Message,
  callId: (id: string) => string,
): OpenAI.ChatCompletionMessageParam {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: systemContent(provider, message.content, 'text') };
    case 'user':
      return {
        role: 'user',
        content: typeof message.content === 'string' ? message.content : message.content.map(userPart),
      };
    case 'tool':
      return { role: 'tool', content: message.content, tool_call_id: callId(message.toolCallId) };
    case 'assistant':
      return assistantMessage(message, callId);
  }
}

function assistantMessage(
  { content, toolCalls = [] }: Extract<Message, { readonly role: 'assistant' }>,
  callId: (id: string) => string,
) {
  const role = 'assistant' as const;
  if (toolCalls.length === 0) return { role, content };
  return {
    role,
    // Next to tool calls, no text is null: some servers refuse an empty one.
    content: content === '' ? null : content,
    tool_calls: toolCalls.map((call) => ({
      id: callId(call.id),
      type: 'function' as const,
      function: { name: call.name, arguments: jsonTextOf(call.arguments) },
    })),
  };
}

/** @param type What the API calls a text. */
export function systemContent<T extends string>(provider: string, content: string | readonly ContentPart[], type: T) {
  if (typeof content === 'string') return content;
  return content.map((part) => {
    if (part.type === 'text') return { type, text: part.text };
    throw providerError('unsupported', `${provider} does not support images in system messages`);
  });
}

function userPart(part: ContentPart): OpenAI.ChatCompletionContentPart {
  if (part.type === 'text') return { type: 'text', text: part.text };
  return { type: 'image_url', image_url: { url: imageUrl(part) } };
}

export function imageUrl(image: Extract<ContentPart, { readonly type: 'image' }>): string {
  return 'url' in image ? image.url : `data:${image.mediaType};base64,${image.data}`;
}
