import { type Message, partsOf, type TextPart, type ToolResultPart } from '@patchbay/core/provider';
import type OpenAI from 'openai';
import { assistantMessage } from './assistant-message.ts';
import type { ChatStyle } from './chat-style.ts';
import { isPlain, textPart, userPart } from './content-parts.ts';
import { extraOf } from './extra.ts';

type ToolMessage = Extract<Message, { readonly role: 'tool' }>;
type WireMessage = OpenAI.ChatCompletionMessageParam;

/**
 * The messages of a conversation. Results of tools are texts in this format: their images and files follow as a message
 * of the user, after all results of the turn.
 */
export function chatMessages(messages: readonly Message[], style: ChatStyle): WireMessage[] {
  const written: WireMessage[] = [];
  let attached: OpenAI.ChatCompletionContentPart[] = [];
  const attach = (): void => {
    if (attached.length === 0) return;
    written.push({ role: 'user', content: attached });
    attached = [];
    style.warn(`${style.provider} has texts as tool results only: their images and files were sent as the user's`);
  };
  for (const message of messages) {
    if (message.role !== 'tool') attach();
    written.push(chatMessage(message, style));
    if (message.role === 'tool') attached.push(...attachments(message, style));
  }
  attach();
  return written;
}

function chatMessage(message: Message, style: ChatStyle): WireMessage {
  if (message.role === 'assistant') return assistantMessage(message, style);
  if (message.role === 'tool') return toolMessage(message, style);
  const extra = extraOf(message, 'openai-chat');
  if (message.role === 'user') {
    const { content } = message;
    const parts = typeof content === 'string' ? content : content.map((part) => userPart(part, style));
    return { ...extra, role: 'user', content: parts };
  }
  return { ...extra, role: systemRole(message), content: systemContent(message.content, style) };
}

/** OpenAI's newer models call it `developer`; both roles mean the same. */
export function systemRole(message: Message): 'system' | 'developer' {
  return extraOf(message, 'openai-chat')['role'] === 'developer' ? 'developer' : 'system';
}

function systemContent(content: string | readonly TextPart[], style: ChatStyle) {
  return typeof content === 'string' ? content : content.map((part) => textPart(part, style));
}

const isText = (part: ToolResultPart): part is TextPart => part.type === 'text';

function toolMessage(message: ToolMessage, style: ChatStyle): OpenAI.ChatCompletionToolMessageParam {
  if (message.isError) warnOfError(style);
  const texts = partsOf<ToolResultPart>(message.content).filter(isText);
  const [only, more] = texts;
  const isOne = only === undefined || (more === undefined && isPlain(only, style));
  return {
    ...extraOf(message, 'openai-chat'),
    role: 'tool',
    // Many servers take nothing but a string here.
    content: isOne ? (only?.text ?? '') : texts.map((part) => textPart(part, style)),
    tool_call_id: style.callId(message.toolCallId),
  };
}

export function warnOfError({ provider, warn }: Pick<ChatStyle, 'provider' | 'warn'>): void {
  warn(`${provider} has no mark for tool results that are errors: their content alone says so`);
}

function attachments({ content, toolCallId }: ToolMessage, style: ChatStyle): OpenAI.ChatCompletionContentPart[] {
  const parts = partsOf<ToolResultPart>(content).filter((part) => !isText(part));
  if (parts.length === 0) return [];
  const title = { type: 'text' as const, text: `Of the result of the tool call ${style.callId(toolCallId)}:` };
  return [title, ...parts.map((part) => userPart(part, style))];
}
