import type { InlineDataPart } from '@google/generative-ai';
import {
  type AssistantPart,
  type AudioPart,
  contentText,
  definedMembers,
  embeddedImage,
  type FilePart,
  fieldsOf,
  type ImagePart,
  type JsonFields,
  type Message,
  partsOf,
  providerError,
  splitSystemMessages,
  type Turn,
  type UserPart,
} from '@patchbay/core/provider';
import { isGemini2 } from './catalogue.ts';
import { NO_SIGNATURE, unpackToolCallId } from './tool-call-id.ts';
import { vendorMembers } from './vendor-members.ts';
import type { WireContent, WirePart } from './wire.ts';

/**
 * Gemini knows results by the name of the function, wants those of one turn together, and refuses empty texts.
 *
 * @param provider Name of the provider, for messages.
 */
export function conversation(provider: string, model: string, messages: readonly Message[]) {
  const { system, turns, warnings } = splitSystemMessages(provider, messages);
  const contents: WireContent[] = [];
  const names = new Map<string, string>();
  for (const turn of turns) {
    if (turn.role === 'assistant') {
      for (const part of partsOf(turn.content)) if (part.type === 'tool-call') names.set(part.id, part.name);
    }
    const parts = turnParts(provider, model, turn, names);
    const role = turn.role === 'assistant' ? 'model' : 'user';
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else if (parts.length > 0) contents.push({ role, parts });
  }
  const hasName = turns.some(
    ({ content }) => typeof content !== 'string' && content.some((part) => part.type === 'file' && part.name),
  );
  const unnamed = hasName ? [`${provider} takes no names of files: they were left out`] : [];
  return { contents, system: system.map(({ text }) => text), warnings: [...warnings, ...unnamed] };
}

function turnParts(provider: string, model: string, turn: Turn, names: ReadonlyMap<string, string>): WirePart[] {
  switch (turn.role) {
    case 'user':
      return partsOf(turn.content).flatMap((part) => userParts(provider, part));
    case 'assistant':
      return modelParts(model, partsOf(turn.content));
    case 'tool':
      return [toolResult(provider, model, turn, names)];
  }
}

function toolResult(
  provider: string,
  model: string,
  turn: Extract<Turn, { readonly role: 'tool' }>,
  names: ReadonlyMap<string, string>,
): WirePart {
  const name = names.get(turn.toolCallId);
  if (name === undefined) throw providerError('unsupported', `${provider} takes results of calls in the history only`);
  const media = partsOf(turn.content).flatMap((part): InlineDataPart[] => {
    if (part.type === 'text') return [];
    const [wire] = mediaParts(provider, part);
    if (isGemini2(model) || !wire || !('inlineData' in wire) || !wire.inlineData) {
      throw providerError('unsupported', `${provider}/${model} does not take this kind of result of a tool`);
    }
    return [{ inlineData: wire.inlineData }];
  });
  const { id } = unpackToolCallId(turn.toolCallId);
  const result = resultOf(contentText(turn.content));
  const response = turn.isError ? { error: result['result'] ?? result } : result;
  return { functionResponse: { id, name, response, ...(media.length > 0 && { parts: media }) } };
}

/** Results are objects. What is none is wrapped in one. */
function resultOf(content: string): JsonFields {
  try {
    return fieldsOf(JSON.parse(content)) ?? { result: content };
  } catch {
    return { result: content };
  }
}

function modelParts(model: string, parts: readonly AssistantPart[]): WirePart[] {
  const first = parts.find(({ type }) => type === 'tool-call');
  return parts.flatMap((part): WirePart[] => {
    const members = vendorMembers(part);
    if (part.type === 'text' || part.type === 'refusal') {
      return part.text === '' ? [] : [{ ...(members as object), text: part.text }];
    }
    if (part.type === 'reasoning') {
      const { text, signature } = part;
      // A part that has no counterpart of its own.
      if (signature === undefined && Object.keys(members).length > 0) return [members as unknown as WirePart];
      const signed = definedMembers({ thoughtSignature: signature });
      if (members['thought'] === false) return [{ text, ...signed }];
      return text === '' && signature === undefined ? [] : [{ text, thought: true, ...signed }];
    }
    // Of calls made at once, only the first has a signature. The generation before 3 needs none.
    const missing = part === first && !isGemini2(model) ? NO_SIGNATURE : undefined;
    const { id, signature = missing } = unpackToolCallId(part.id);
    const functionCall = { id, name: part.name, args: part.arguments };
    return [{ functionCall, ...definedMembers({ thoughtSignature: signature }), ...(members as object) }];
  });
}

function userParts(provider: string, part: UserPart): WirePart[] {
  if (part.type === 'text') return part.text === '' ? [] : [{ text: part.text }];
  return mediaParts(provider, part);
}

function mediaParts(provider: string, part: ImagePart | AudioPart | FilePart): WirePart[] {
  const embedded = embeddedImage({ ...part, type: 'image' });
  if (embedded) return [{ inlineData: { mimeType: embedded.mediaType, data: embedded.data } }];
  const fileUri = 'url' in part ? part.url : '';
  // A file of our account there may belong to another tenant.
  const isOwn = !URL.canParse(fileUri) || new URL(fileUri).hostname.endsWith('googleapis.com');
  if (isOwn) throw providerError('unsupported', `${provider} takes no files that are stored at Google`);
  return [{ fileData: { fileUri, ...definedMembers({ mimeType: typeOf(fileUri) }) } }];
}

const types: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  pdf: 'application/pdf',
  txt: 'text/plain',
};

const typeOf = (url: string): string | undefined => types[new URL(url).pathname.split('.').at(-1)?.toLowerCase() ?? ''];
