import { type ContentPart, jsonTextOf, type Message, portableToolCallId, providerError } from '@patchbay/core/provider';
import type OpenAI from 'openai';

/** @param provider Name of the provider, for messages. */
export function chatMessages(provider: string, messages: readonly Message[]): OpenAI.ChatCompletionMessageParam[] {
  return messages.map((message) => chatMessage(provider, message));
}

function chatMessage(provider: string, message: Message): OpenAI.ChatCompletionMessageParam {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: systemContent(provider, message.content) };
    case 'user':
      return {
        role: 'user',
        content: typeof message.content === 'string' ? message.content : message.content.map(userPart),
      };
    case 'tool':
      return { role: 'tool', content: message.content, tool_call_id: portableToolCallId(message.toolCallId) };
    case 'assistant':
      return assistantMessage(message);
  }
}

function assistantMessage({ content, toolCalls = [] }: Extract<Message, { readonly role: 'assistant' }>) {
  const role = 'assistant' as const;
  if (toolCalls.length === 0) return { role, content };
  return {
    role,
    // Next to tool calls, no text is null: some servers refuse an empty one.
    content: content === '' ? null : content,
    tool_calls: toolCalls.map((call) => ({
      id: portableToolCallId(call.id),
      type: 'function' as const,
      function: { name: call.name, arguments: jsonTextOf(call.arguments) },
    })),
  };
}

function systemContent(provider: string, content: string | readonly ContentPart[]) {
  if (typeof content === 'string') return content;
  return content.map((part) => {
    if (part.type === 'text') return { type: 'text' as const, text: part.text };
    throw providerError('unsupported', `${provider} does not take images in system messages`);
  });
}

function userPart(part: ContentPart): OpenAI.ChatCompletionContentPart {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const url = 'url' in part ? part.url : `data:${part.mediaType};base64,${part.data}`;
  return { type: 'image_url', image_url: { url } };
}
