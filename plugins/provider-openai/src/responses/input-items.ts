import { type ContentPart, jsonTextOf, type Message, portableToolCallId, providerError } from '@patchbay/core/provider';
import type OpenAI from 'openai';

type InputItem = OpenAI.Responses.ResponseInputItem;

/** A conversation as the Responses API has it: messages, calls and their results one after the other. */
export function inputItems(provider: string, messages: readonly Message[]): InputItem[] {
  return messages.flatMap((message) => itemsOf(provider, message));
}

function itemsOf(provider: string, message: Message): InputItem[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: systemContent(provider, message.content) }];
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

function systemContent(provider: string, content: string | readonly ContentPart[]) {
  if (typeof content === 'string') return content;
  return content.map((part) => {
    if (part.type === 'text') return { type: 'input_text' as const, text: part.text };
    throw providerError('unsupported', `${provider} does not take images in system messages`);
  });
}

function userPart(part: ContentPart): OpenAI.Responses.ResponseInputContent {
  if (part.type === 'text') return { type: 'input_text', text: part.text };
  const url = 'url' in part ? part.url : `data:${part.mediaType};base64,${part.data}`;
  return { type: 'input_image', image_url: url, detail: 'auto' };
}
