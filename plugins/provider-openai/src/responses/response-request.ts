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
import { imageUrl, systemContent } from '../chat-request.ts';
import { responseFormat } from '../response-format.ts';

/** The API takes no fewer. */
const LEAST_TOKENS = 16;

/**
 * The body of a request, and warnings of what was expressed in another way.
 *
 * @param provider Name of the provider, for messages.
 */
export function responseRequest(provider: string, model: ModelInfo, request: ChatRequest) {
  const { maxTokens } = request;
  if (maxTokens !== undefined && maxTokens < LEAST_TOKENS) {
    throw providerError('unsupported', `${provider}/${model.name} does not support maxTokens below ${LEAST_TOKENS}`);
  }
  for (const name of ['frequencyPenalty', 'presencePenalty'] as const) {
    if (request[name]) throw providerError('unsupported', `${provider}/${model.name} does not support ${name}`);
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

type InputItem = OpenAI.Responses.ResponseInputItem;

/** A conversation as the Responses API has it: messages, calls and their results one after the other. */
function inputItems(provider: string, messages: readonly Message[]): InputItem[] {
  return messages.flatMap((message) => itemsOf(provider, message));
}

function itemsOf(provider: string, message: Message): InputItem[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: systemContent(provider, message.content, 'input_text') }];
    case 'user':
      return [
        {
          role: 'user',
          content: typeof message.content === 'string' ? message.content : message.content.map(userPart),
        },
      ];
    case 'tool':
      return [
        { type: 'function_call_output', call_id: portableToolCallId(message.toolCallId), output: message.content },
      ];
    case 'assistant':
      return [
        ...(message.content === '' ? [] : [{ role: 'assistant' as const, content: message.content }]),
        // Without the ids of the items: with them, the API asks for the reasoning that came before each call.
        ...(message.toolCalls ?? []).map((call) => ({
          type: 'function_call' as const,
          call_id: portableToolCallId(call.id),
          name: call.name,
          arguments: jsonTextOf(call.arguments),
        })),
      ];
  }
}

function userPart(part: ContentPart): OpenAI.Responses.ResponseInputContent {
  if (part.type === 'text') return { type: 'input_text', text: part.text };
  return { type: 'input_image', image_url: imageUrl(part), detail: 'auto' };
}
