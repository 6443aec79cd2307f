import { jsonTextOf } from '@patchbay/core';
import type { AssistantPart, ReasoningPart, ToolCallPart } from '@patchbay/core/provider';
import type { Responses } from 'openai/resources/responses/responses';
import { writeProof } from '../anthropic-messages/reasoning-proof.ts';
import type { CallNames } from './namespaces.ts';
import { itemId } from './response-object.ts';

export type MessageContent = Responses.ResponseOutputMessage['content'][number];
export type OutputItem =
  | Responses.ResponseOutputMessage
  | Responses.ResponseFunctionToolCall
  | Responses.ResponseReasoningItem;
type Status = NonNullable<OutputItem['status']>;

/**
 * The parts of an answer as items: consecutive texts and refusals are one message.
 *
 * @param id Of the response.
 */
export function outputItems(parts: readonly AssistantPart[], id: string, names: CallNames): OutputItem[] {
  const items: OutputItem[] = [];
  for (const part of parts) {
    if (part.type === 'reasoning') items.push(reasoningItem(part, items.length, id));
    else if (part.type === 'tool-call') items.push(callItem(part, items.length, id, names));
    else {
      const last = items.at(-1);
      if (last?.type === 'message') last.content.push(contentOf(part));
      else items.push(messageItem([contentOf(part)], items.length, id));
    }
  }
  return items;
}

export function messageItem(
  content: MessageContent[],
  index: number,
  id: string,
  status: Status = 'completed',
): Responses.ResponseOutputMessage {
  return { id: itemId('msg', id, index), type: 'message', status, role: 'assistant', content };
}

export function textContent(text: string): Responses.ResponseOutputText {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function contentOf(part: Extract<AssistantPart, { type: 'text' | 'refusal' }>): MessageContent {
  return part.type === 'text' ? textContent(part.text) : { type: 'refusal', refusal: part.text };
}

function callItem(
  { id: callId, name, arguments: values }: ToolCallPart,
  index: number,
  id: string,
  names: CallNames,
): Responses.ResponseFunctionToolCall {
  return openCallItem({ id: callId, ...calledName(name, names) }, jsonTextOf(values), index, id, 'completed');
}

/** The name of a function for the client, with its namespace if it has one. */
export function calledName(name: string, names: CallNames): CalledName {
  return names.get(name) ?? { name };
}

export type CalledName = Pick<Responses.ResponseFunctionToolCall, 'name' | 'namespace'>;

export function openCallItem(
  { id: call_id, name, namespace }: Pick<ToolCallPart, 'id'> & CalledName,
  text: string,
  index: number,
  id: string,
  status: Status,
): Responses.ResponseFunctionToolCall {
  const named = namespace === undefined ? { name } : { name, namespace };
  return { id: itemId('fc', id, index), type: 'function_call', status, call_id, ...named, arguments: text };
}

/** The vendor shows a summary of its reasoning. Its proof is opaque to clients, and names its model. */
export function reasoningItem(
  part: Omit<ReasoningPart, 'type'>,
  index: number,
  id: string,
): Responses.ResponseReasoningItem {
  return {
    id: itemId('rs', id, index),
    type: 'reasoning',
    summary: part.text === '' ? [] : [{ type: 'summary_text', text: part.text }],
    encrypted_content: writeProof(part),
  };
}

/** The item for a client that did not request `reasoning.encrypted_content`. */
export function withoutProof(item: OutputItem): OutputItem {
  if (item.type !== 'reasoning') return item;
  const { encrypted_content: _proof, ...shown } = item;
  return shown;
}
