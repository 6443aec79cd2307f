import {
  type ContentPart,
  embeddedImage,
  fieldsOf,
  type JsonFields,
  providerError,
  type Turn,
} from '@patchbay/core/provider';
import { NO_SIGNATURE, unpackToolCallId } from './tool-call-id.ts';
import type { WireContent, WirePart } from './wire.ts';

/**
 * Gemini knows results by the name of the function, wants those of one turn together, and refuses empty texts.
 *
 * @param provider Name of the provider, for messages.
 */
export function conversation(provider: string, model: string, turns: readonly Turn[]): WireContent[] {
  const contents: WireContent[] = [];
  const names = new Map<string, string>();
  for (const turn of turns) {
    if (turn.role === 'assistant') for (const call of turn.toolCalls ?? []) names.set(call.id, call.name);
    const parts = partsOf(provider, model, turn, names);
    const role = turn.role === 'assistant' ? 'model' : 'user';
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else if (parts.length > 0) contents.push({ role, parts });
  }
  return contents;
}

function partsOf(provider: string, model: string, turn: Turn, names: ReadonlyMap<string, string>): WirePart[] {
  switch (turn.role) {
    case 'user':
      if (typeof turn.content === 'string') return textParts(turn.content);
      return turn.content.flatMap((part) => userParts(provider, part));
    case 'assistant':
      return [...textParts(turn.content), ...callParts(model, turn)];
    case 'tool': {
      const name = names.get(turn.toolCallId);
      if (name === undefined)
        throw providerError('unsupported', `${provider} takes results of calls in the history only`);
      const { id } = unpackToolCallId(turn.toolCallId);
      return [{ functionResponse: { id, name, response: resultOf(turn.content) } }];
    }
  }
}

function callParts(model: string, { toolCalls = [] }: Extract<Turn, { readonly role: 'assistant' }>): WirePart[] {
  // Of calls made at once, only the first has a signature. The generation before 3 needs none.
  const needsSignature = !model.startsWith('gemini-2');
  return toolCalls.map((call, index) => {
    const { id, signature = needsSignature && index === 0 ? NO_SIGNATURE : undefined } = unpackToolCallId(call.id);
    const functionCall = { id, name: call.name, args: call.arguments };
    return signature === undefined ? { functionCall } : { functionCall, thoughtSignature: signature };
  });
}

/** Results are objects. What is none is wrapped in one. */
function resultOf(content: string): JsonFields {
  try {
    return fieldsOf(JSON.parse(content)) ?? { result: content };
  } catch {
    return { result: content };
  }
}

function userParts(provider: string, part: ContentPart): WirePart[] {
  if (part.type === 'text') return textParts(part.text);
  const image = embeddedImage(part);
  if (!image) throw providerError('unsupported', `${provider} takes images as data only, not by their address`);
  return [{ inlineData: { mimeType: image.mediaType, data: image.data } }];
}

function textParts(text: string): WirePart[] {
  return text === '' ? [] : [{ text }];
}
