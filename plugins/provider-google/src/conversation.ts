import {
  type AssistantPart,
  contentText,
  definedMembers,
  fieldsOf,
  type JsonFields,
  type Message,
  partsOf,
  providerError,
  type ReasoningPart,
  splitSystemMessages,
  type TextPart,
  type ToolResultPart,
  type Turn,
  type UserPart,
} from '@patchbay/core/provider';
import { isGemini2 } from './catalogue.ts';
import { mediaPart } from './media-part.ts';
import { NO_SIGNATURE, unpackToolCallId } from './tool-call-id.ts';
import { refuseStored, vendorMembers } from './vendor-members.ts';
import type { InlinePart, WireContent, WirePart, WireText } from './wire.ts';

interface Style {
  /** Name of the provider, for messages. */
  readonly provider: string;
  readonly model: string;
  readonly warn: (warning: string) => void;
}

/**
 * Gemini knows results by the name of the function, wants those of one turn together, and refuses empty texts.
 *
 * @param provider Name of the provider, for messages.
 */
export function conversation(provider: string, model: string, messages: readonly Message[]) {
  const { system, turns, warnings: moved } = splitSystemMessages(provider, messages);
  const warnings = new Set(moved);
  const style: Style = { provider, model, warn: (warning) => void warnings.add(`${provider} ${warning}`) };
  warnOfMembers(messages, style);
  const contents: WireContent[] = [];
  const names = new Map<string, string>();
  for (const turn of turns) {
    if (turn.role === 'assistant') {
      for (const part of partsOf(turn.content)) if (part.type === 'tool-call') names.set(part.id, part.name);
    }
    const parts = turnParts(turn, names, style);
    const role = turn.role === 'assistant' ? 'model' : 'user';
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else if (parts.length > 0) contents.push({ role, parts });
  }
  return { contents, system: system.flatMap((part) => textParts(part, style)), warnings: [...warnings] };
}

/** A message of the API is a role and its parts; the texts of a tool's result are one text; there are no empty texts. */
function warnOfMembers(messages: readonly Message[], { warn }: Style): void {
  const unplaced = new Set<string>();
  for (const message of messages) {
    if (message.role !== 'tool') for (const name of Object.keys(vendorMembers(message))) unplaced.add(name);
    for (const part of partsOf<AssistantPart | UserPart | ToolResultPart>(message.content)) {
      const isLost = part.type === 'text' && (part.text === '' || message.role === 'tool');
      if (isLost) for (const name of Object.keys(vendorMembers(part))) unplaced.add(name);
    }
  }
  if (unplaced.size > 0) warn(`has no place for these members where they stand: ${[...unplaced].join(', ')}`);
}

function turnParts(turn: Turn, names: ReadonlyMap<string, string>, style: Style): WirePart[] {
  switch (turn.role) {
    case 'user':
      return partsOf<UserPart>(turn.content).flatMap((part) => userParts(part, style));
    case 'assistant':
      return modelParts(partsOf<AssistantPart>(turn.content), style);
    case 'tool':
      return [toolResult(turn, names, style)];
  }
}

function textParts(part: Pick<TextPart, 'text' | 'extra'>, { provider }: Style): WireText[] {
  const members: object = vendorMembers(part);
  refuseStored(provider, { ...members });
  return part.text === '' ? [] : [{ ...members, text: part.text }];
}

function userParts(part: UserPart, style: Style): WirePart[] {
  if (part.type === 'text') return textParts(part, style);
  const members: object = vendorMembers(part);
  refuseStored(style.provider, { ...members });
  if (part.type === 'file' && part.name !== undefined) style.warn('takes no names of files: they were left out');
  return [{ ...members, ...mediaPart(style.provider, part) }];
}

type ToolTurn = Extract<Turn, { readonly role: 'tool' }>;

function toolResult(turn: ToolTurn, names: ReadonlyMap<string, string>, style: Style): WirePart {
  const { provider } = style;
  const name = names.get(turn.toolCallId);
  if (name === undefined) throw providerError('unsupported', `${provider} takes results of calls in the history only`);
  const media = partsOf<ToolResultPart>(turn.content).flatMap((part) => resultMedia(part, style));
  const members: object = vendorMembers(turn);
  const { id } = unpackToolCallId(turn.toolCallId);
  const text = contentText(turn.content);
  // Results are objects: anything else is wrapped in one.
  const object = objectIn(text);
  const response = turn.isError ? { error: object ?? text } : (object ?? { result: text });
  return { functionResponse: { ...members, id, name, response, ...(media.length > 0 && { parts: media }) } };
}

function resultMedia(part: ToolResultPart, style: Style): InlinePart[] {
  if (part.type === 'text') return [];
  const [wire] = userParts(part, style);
  if (wire && 'inlineData' in wire && wire.inlineData && !isGemini2(style.model)) return [wire as InlinePart];
  throw providerError('unsupported', `${style.provider}/${style.model} does not take this kind of result of a tool`);
}

function objectIn(text: string): JsonFields | undefined {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function modelParts(parts: readonly AssistantPart[], style: Style): WirePart[] {
  const first = parts.find(({ type }) => type === 'tool-call');
  return parts.flatMap((part): WirePart[] => {
    if (part.type === 'text' || part.type === 'refusal') return textParts(part, style);
    if (part.type === 'reasoning') return thoughtParts(part, style);
    // Only the first of several calls made at once has a signature. The generation before 3 needs none.
    const missing = part === first && !isGemini2(style.model) ? NO_SIGNATURE : undefined;
    const { id, signature = missing } = unpackToolCallId(part.id);
    const functionCall = { id, name: part.name, args: part.arguments };
    return [{ functionCall, ...definedMembers({ thoughtSignature: signature }), ...(vendorMembers(part) as object) }];
  });
}

function thoughtParts(part: ReasoningPart, { provider, warn }: Style): WirePart[] {
  const { text, signature, encrypted } = part;
  const { thought, ...members } = vendorMembers(part);
  refuseStored(provider, members);
  if (encrypted) warn('reads no reasoning that another API encrypted: it was left out');
  // A part without a counterpart.
  if (text === '' && signature === undefined) return Object.keys(members).length > 0 ? [members as WirePart] : [];
  const signed = { ...(members as object), text, ...definedMembers({ thoughtSignature: signature }) };
  return thought === false ? [signed] : [{ ...signed, thought: true }];
}
