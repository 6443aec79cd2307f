import type Anthropic from '@anthropic-ai/sdk';
import type { JsonObject } from '@patchbay/core/plugin';
import {
  type AssistantPart,
  type AudioPart,
  type CacheMark,
  definedMembers,
  type Extra,
  embeddedImage,
  type FilePart,
  type ImagePart,
  type Message,
  partsOf,
  portableToolCallId,
  providerError,
  type ReasoningPart,
  type TextPart,
  type ToolResultPart,
} from '@patchbay/core/provider';
import { refuseStored, vendorMembers } from './vendor-members.ts';

export interface Conversation {
  readonly system: readonly Anthropic.TextBlockParam[];
  readonly messages: Anthropic.MessageParam[];
  readonly warnings: readonly string[];
}

/**
 * The results of one turn's tool calls must be in one message, so messages of the same role are merged, except for
 * those with separate members.
 *
 * @param provider Name of the provider, for messages.
 * @param takesSystem Whether the model accepts system messages also between a question and its answer. Others have them
 *   only at the front.
 */
export function conversation(provider: string, messages: readonly Message[], takesSystem = false): Conversation {
  const warnings = new Set<string>();
  const warn = (warning: string) => void warnings.add(`${provider} ${warning}`);
  if (messages.some(hasMarkedNothing)) warn('takes no empty texts: they were left out, with their marks');
  if (messages.some((message) => (message.role === 'user' || message.role === 'assistant') && isEmpty(message))) {
    warn('takes no empty messages: they were left out');
    refuseEmptyQuestion(provider, messages);
  }
  const system: Anthropic.TextBlockParam[] = [];
  const turns: Turn[] = [];
  let later: Anthropic.TextBlockParam[] = [];
  const placeLater = (): void => {
    if (later.length === 0) return;
    if (takesSystem && turns.at(-1)?.role === 'user') turns.push({ role: 'system', content: later, members: {} });
    else {
      warn('has system messages at the front only: later ones were moved there');
      system.push(...later);
    }
    later = [];
  };
  for (const message of messages) {
    if (message.role === 'system') {
      (turns.length > 0 ? later : system).push(...systemBlocks(message));
      continue;
    }
    if (message.role === 'assistant' || !takesSystem) placeLater();
    else if (later.length > 0) warn('has system messages behind the question only: earlier ones were moved there');
    addTurn(turns, message, blocksOf(provider, message, warn));
  }
  placeLater();
  if (turns.length > 0 || system.length === 0) {
    return { system, messages: turns.map(messageOf), warnings: [...warnings] };
  }
  warn('needs a question: the system messages were sent as one');
  return { system: [], messages: [{ role: 'user', content: system }], warnings: [...warnings] };
}

/**
 * Without it, the model would continue its own last message, or have none.
 *
 * @throws PatchbayError `unsupported_parameter`.
 */
function refuseEmptyQuestion(provider: string, messages: readonly Message[]): void {
  const last = messages.findLastIndex(({ role }) => role !== 'system');
  const message = messages[last];
  if (message?.role !== 'user' || !isEmpty(message)) return;
  throw providerError('unsupported', `${provider} takes no empty message as the last one`, {
    parameter: `messages/${last}/content`,
  });
}

function systemBlocks(message: Extract<Message, { readonly role: 'system' }>): Anthropic.TextBlockParam[] {
  const members = vendorMembers(message) as object;
  const blocks = partsOf(message.content).flatMap(textBlocks);
  return blocks.map((block) => ({ ...members, ...block }));
}

const isEmpty = ({ content }: Message): boolean =>
  typeof content === 'string' ? content === '' : content.every((part) => part.type === 'text' && part.text === '');

/** Whether the message has an empty text that carries other members. */
const hasMarkedNothing = ({ content }: Message): boolean =>
  typeof content !== 'string' &&
  content.some((part) => part.type === 'text' && part.text === '' && (part.cache || part.extra));

type Block = Anthropic.ContentBlockParam;
type TurnMessage = Exclude<Message, { readonly role: 'system' }>;

interface Turn {
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: Block[];
  /** Members of the message. */
  readonly members: JsonObject;
}

function messageOf({ role, content, members }: Turn): Anthropic.MessageParam {
  return { ...(members as object), role, content } as Anthropic.MessageParam;
}

function addTurn(turns: Turn[], message: TurnMessage, blocks: Block[]): void {
  const role = message.role === 'assistant' ? 'assistant' : 'user';
  // Those of a tool's message stand in its block.
  const members = message.role === 'tool' ? {} : vendorMembers(message);
  const last = turns.at(-1);
  const isJoined = last?.role === role && ![last.members, members].some((own) => Object.keys(own).length > 0);
  if (isJoined) last.content.push(...blocks);
  else if (blocks.length > 0) turns.push({ role, content: blocks, members });
}

function blocksOf(provider: string, message: TurnMessage, warn: (warning: string) => void): Block[] {
  switch (message.role) {
    case 'user':
      return partsOf(message.content).flatMap((part) => userBlocks(provider, part));
    case 'assistant':
      return partsOf(message.content).flatMap((part) => assistantBlocks(provider, part, warn));
    case 'tool':
      return [toolResult(provider, message)];
  }
}

function withoutMark(part: ToolResultPart): ToolResultPart {
  const { cache: _, ...unmarked } = part;
  return unmarked;
}

/** A result is cached as a whole: marks of its parts are refused, so that the last one stands for all of them. */
function toolResult(
  provider: string,
  message: Extract<Message, { readonly role: 'tool' }>,
): Anthropic.ToolResultBlockParam {
  const { content, toolCallId, isError, extra } = message;
  const isText = typeof content === 'string';
  const cache = isText ? undefined : content.findLast((part) => part.cache)?.cache;
  return marked(definedMembers({ cache, extra }), {
    type: 'tool_result',
    tool_use_id: portableToolCallId(toolCallId),
    content: isText ? content : content.flatMap((part) => userBlocks(provider, withoutMark(part))),
    ...definedMembers({ is_error: isError }),
  });
}

function assistantBlocks(provider: string, part: AssistantPart, warn: (warning: string) => void): Block[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return textBlocks(part);
    case 'reasoning':
      return thinkingBlocks(provider, part, warn);
    case 'tool-call':
      return [
        marked(part, {
          type: 'tool_use' as const,
          id: portableToolCallId(part.id),
          name: part.name,
          input: part.arguments,
        }),
      ];
  }
}

/** Anthropic takes back what it signed or encrypted, and nothing else. */
function thinkingBlocks(provider: string, part: ReasoningPart, warn: (warning: string) => void): Block[] {
  const members: object = vendorMembers(part);
  refuseStored(provider, { ...members });
  if (part.cache) warn('caches reasoning with what follows it, not by itself: its mark was left out');
  // A block that has no counterpart among the parts.
  if ('type' in members) return [members as Block];
  const { text: thinking, signature, encrypted } = part;
  const blocks: Block[] = [];
  if (signature) blocks.push({ ...members, type: 'thinking', thinking, signature });
  if (encrypted) blocks.push({ ...members, type: 'redacted_thinking', data: encrypted });
  if (blocks.length === 0) warn('takes back only reasoning that it signed: the rest was left out');
  return blocks;
}

/** Content of users and tools. */
type ContentBlock = Anthropic.TextBlockParam | Anthropic.ImageBlockParam | Anthropic.DocumentBlockParam;

interface Marks {
  readonly cache?: CacheMark;
  readonly extra?: Extra;
}

/** The block with what its part has beside its content: how far the prompt may be cached, and what only Anthropic knows. */
export function marked<B extends object>(part: Marks, block: B): B {
  const cache = part.cache && { type: 'ephemeral' as const, ...definedMembers({ ttl: part.cache.ttl }) };
  return { ...(vendorMembers(part) as object), ...block, ...definedMembers({ cache_control: cache }) };
}

/** None for an empty text, which Anthropic refuses. */
function textBlocks(part: Marks & { readonly text: string }): Anthropic.TextBlockParam[] {
  return part.text === '' ? [] : [marked(part, { type: 'text', text: part.text })];
}

/**
 * The block of one part.
 *
 * @param provider Name of the provider, for messages.
 * @throws PatchbayError `unsupported_parameter` for what Anthropic does not take.
 */
function userBlocks(provider: string, part: TextPart | ImagePart | AudioPart | FilePart): ContentBlock[] {
  switch (part.type) {
    case 'text':
      return textBlocks(part);
    case 'image':
      return [marked(part, { type: 'image', source: imageSource(provider, part) })];
    case 'file':
      return [documentBlock(provider, part)];
    case 'audio':
      throw providerError('unsupported', `${provider} takes no audio`);
  }
}

const mediaTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;

function imageSource(provider: string, image: ImagePart): Anthropic.Base64ImageSource | Anthropic.URLImageSource {
  const embedded = embeddedImage(image);
  if (!embedded) return { type: 'url', url: 'url' in image ? image.url : '' };
  const mediaType = mediaTypes.find((type) => type === embedded.mediaType);
  if (!mediaType) throw providerError('unsupported', `${provider} takes images as ${mediaTypes.join(', ')} only`);
  return { type: 'base64', media_type: mediaType, data: embedded.data };
}

function documentBlock(provider: string, file: FilePart): ContentBlock {
  const image: ImagePart = { ...file, type: 'image' };
  const embedded = embeddedImage(image);
  if (embedded && mediaTypes.some((type) => type === embedded.mediaType)) {
    return marked(file, { type: 'image', source: imageSource(provider, image) });
  }
  const source = embedded ? embeddedDocument(provider, embedded) : ({ type: 'url', url: urlOf(file) } as const);
  return marked(file, { type: 'document', source, ...definedMembers({ title: file.name }) });
}

const urlOf = (file: FilePart): string => ('url' in file ? file.url : '');

function embeddedDocument(
  provider: string,
  { mediaType, data }: { readonly mediaType: string; readonly data: string },
): Anthropic.Base64PDFSource | Anthropic.PlainTextSource {
  if (mediaType === 'application/pdf') return { type: 'base64', media_type: mediaType, data };
  if (!mediaType.startsWith('text/')) {
    throw providerError('unsupported', `${provider} takes files as PDF, text or images only`);
  }
  return { type: 'text', media_type: 'text/plain', data: Buffer.from(data, 'base64').toString('utf8') };
}
