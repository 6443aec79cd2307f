import type { JsonObject } from '@patchbay/core/plugin';
import {
  type AssistantPart,
  fieldsOf,
  jsonTextOf,
  listOf,
  type Message,
  partsOf,
  portableToolCallId,
  providerError,
  type ReasoningPart,
  type TextPart,
  type ToolResultPart,
  type UserPart,
} from '@patchbay/core/provider';
import type OpenAI from 'openai';
import { systemRole, warnOfError } from '../chat-request.ts';
import type { ChatStyle } from '../chat-style.ts';
import { dataUrl, fileName, imageUrl } from '../content-parts.ts';
import { extraOf, refuseReferences, refuseStored } from '../extra.ts';

export interface ItemStyle extends Pick<ChatStyle, 'provider' | 'warn'> {
  /** OpenAI finds reasoning by its id, unless it is encrypted. */
  readonly isOpenAi: boolean;
}

type InputItem = OpenAI.Responses.ResponseInputItem;

/** A conversation as the Responses API has it: messages, reasoning, calls and their results one after the other. */
export function inputItems(messages: readonly Message[], style: ItemStyle): InputItem[] {
  return messages.flatMap((message) => itemsOf(message, style));
}

function itemsOf(message: Message, style: ItemStyle): InputItem[] {
  // References of a result belong to its texts, and are the vendor's own.
  const { role: _, annotations: __, output, ...extra } = extraOf(message, 'openai-responses');
  const { type = 'message' } = extra;
  if (type !== 'message') refuseReferences(style.provider, [extra]);
  const outputs = listOf(output) ?? [];
  refuseReferences(style.provider, outputs);
  switch (message.role) {
    case 'system': {
      const { content } = message;
      const parts = typeof content === 'string' ? content : content.map((part) => textPart(part));
      return [{ ...extra, role: systemRole(message), content: parts }];
    }
    case 'user': {
      const { content } = message;
      const parts = typeof content === 'string' ? content : content.map((part) => userPart(part, style));
      return [{ ...extra, role: 'user', content: parts }];
    }
    case 'tool': {
      if (message.isError) warnOfError(style);
      const { content } = message;
      const parts = typeof content === 'string' ? content : content.map((part) => userPart(part, style));
      const call_id = portableToolCallId(message.toolCallId);
      return [{ ...extra, type: 'function_call_output', call_id, output: parts } as InputItem];
    }
    case 'assistant':
      // Items of the vendor's own tools are sent back unchanged.
      return [...(outputs as InputItem[]), ...assistantItems(message, extra, style)];
  }
}

/** Texts that follow each other are one message. */
function assistantItems(
  { content }: Extract<Message, { readonly role: 'assistant' }>,
  extra: JsonObject,
  style: ItemStyle,
): InputItem[] {
  const items: InputItem[] = [];
  let said: AssistantPart[] = [];
  const say = (): void => {
    if (said.length > 0) items.push({ ...extra, role: 'assistant', content: spoken(said) } as InputItem);
    said = [];
  };
  for (const part of partsOf<AssistantPart>(content)) {
    if (part.type === 'text' || part.type === 'refusal') {
      said.push(part);
      continue;
    }
    say();
    if (part.type === 'reasoning') items.push(...reasoningItem(part, style));
    else {
      const members = extraOf(part, 'openai-responses');
      const call_id = portableToolCallId(part.id);
      // Without the ids of the items: with them, the API asks for the reasoning that came before each call.
      items.push({
        ...members,
        type: 'function_call',
        call_id,
        name: part.name,
        arguments: jsonTextOf(part.arguments),
      });
    }
  }
  say();
  return items;
}

function spoken(parts: readonly AssistantPart[]): string | readonly object[] {
  const [only, more] = parts;
  if (more === undefined && only?.type === 'text' && !only.extra?.['openai-responses']) return only.text;
  return parts.flatMap((part): readonly object[] => {
    const extra = extraOf(part, 'openai-responses');
    if (part.type === 'refusal') return [{ ...extra, type: 'refusal', refusal: part.text }];
    return part.type === 'text' ? [{ annotations: [], ...extra, type: 'output_text', text: part.text }] : [];
  });
}

/** The item as the API sent it. */
function reasoningItem(part: ReasoningPart, { provider, isOpenAi, warn }: ItemStyle): InputItem[] {
  const { text, encrypted } = part;
  if (encrypted === undefined && isOpenAi) {
    warn(`${provider} takes reasoning back in its encrypted form only: what has none was not sent`);
    return [];
  }
  const summary = text === '' ? [] : [{ type: 'summary_text', text }];
  const members = { summary, ...extraOf(part, 'openai-responses') };
  const item = { ...members, type: 'reasoning', ...(encrypted !== undefined && { encrypted_content: encrypted }) };
  return [item as unknown as InputItem];
}

function textPart(part: TextPart): OpenAI.Responses.ResponseInputText {
  return { ...extraOf(part, 'openai-responses'), type: 'input_text', text: part.text };
}

function userPart(part: UserPart | ToolResultPart, { provider }: ItemStyle): OpenAI.Responses.ResponseInputContent {
  const extra = extraOf(part, 'openai-responses');
  refuseStored(provider, extra);
  switch (part.type) {
    case 'text':
      return textPart(part);
    case 'image': {
      // Chat Completions has the detail beside the address.
      const { image_url: more, ...others } = extra;
      const detail = (fieldsOf(more)?.['detail'] ?? 'auto') as OpenAI.Responses.ResponseInputImage['detail'];
      return { detail, ...others, type: 'input_image', image_url: imageUrl(part) };
    }
    case 'file':
      return 'data' in part
        ? { ...extra, type: 'input_file', filename: fileName(part), file_data: dataUrl(part) }
        : { ...extra, type: 'input_file', ...(part.name !== undefined && { filename: part.name }), ...place(part.url) };
    case 'audio':
      throw providerError('unsupported', `${provider} does not support audio in the Responses API`);
  }
}

const place = (url: string) => (url.startsWith('data:') ? { file_data: url } : { file_url: url });
