import type Anthropic from '@anthropic-ai/sdk';
import type { JsonObject } from '@patchbay/core/plugin';
import {
  type AssistantPart,
  definedMembers,
  type Message,
  partsOf,
  portableToolCallId,
  type ReasoningPart,
} from '@patchbay/core/provider';
import { marked, textBlocks, userBlocks } from './user-blocks.ts';
import { vendorMembers } from './vendor-members.ts';

export interface Conversation {
  readonly system: readonly Anthropic.TextBlockParam[];
  readonly messages: Anthropic.MessageParam[];
  readonly warnings: readonly string[];
}

/**
 * System messages stand at the front. The results of one turn's tool calls must be in one message, so that messages of the
 * same side are joined, but for those that have members of their own.
 *
 * @param provider Name of the provider, for messages.
 */
export function conversation(provider: string, messages: readonly Message[]): Conversation {
  const warnings = new Set<string>();
  const system: Anthropic.TextBlockParam[] = [];
  const turns: Turn[] = [];
  for (const message of messages) {
    if (message.role !== 'system') {
      addTurn(
        turns,
        message,
        blocksOf(provider, message, (warning) => warnings.add(`${provider} ${warning}`)),
      );
      continue;
    }
    if (turns.length > 0) {
      warnings.add(`${provider} has system messages at the front only: later ones were moved there`);
    }
    const members = vendorMembers(message) as object;
    system.push(
      ...partsOf(message.content)
        .flatMap(textBlocks)
        .map((block) => ({ ...members, ...block })),
    );
  }
  if (turns.length > 0 || system.length === 0) {
    return { system, messages: turns.map(messageOf), warnings: [...warnings] };
  }
  warnings.add(`${provider} needs a question: the system messages were sent as one`);
  return { system: [], messages: [{ role: 'user', content: system }], warnings: [...warnings] };
}

type Block = Anthropic.ContentBlockParam;
type TurnMessage = Exclude<Message, { readonly role: 'system' }>;

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: Block[];
  /** Of the message. */
  readonly members: JsonObject;
}

function messageOf({ role, content, members }: Turn): Anthropic.MessageParam {
  return { ...(members as object), role, content };
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
      return partsOf(message.content).flatMap((part) => assistantBlocks(part, warn));
    case 'tool':
      return [toolResult(provider, message)];
  }
}

function toolResult(
  provider: string,
  message: Extract<Message, { readonly role: 'tool' }>,
): Anthropic.ToolResultBlockParam {
  const { content, toolCallId, isError } = message;
  return {
    ...(vendorMembers(message) as object),
    type: 'tool_result',
    tool_use_id: portableToolCallId(toolCallId),
    content: typeof content === 'string' ? content : content.flatMap((part) => userBlocks(provider, part)),
    ...definedMembers({ is_error: isError }),
  };
}

function assistantBlocks(part: AssistantPart, warn: (warning: string) => void): Block[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return textBlocks(part);
    case 'reasoning':
      return thinkingBlocks(part, warn);
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
function thinkingBlocks(part: ReasoningPart, warn: (warning: string) => void): Block[] {
  const members = vendorMembers(part);
  // A block that has no counterpart among the parts.
  if (members['type'] !== undefined) return [members as unknown as Block];
  const { text: thinking, signature, encrypted } = part;
  const blocks: Block[] = [];
  if (signature !== undefined) blocks.push({ type: 'thinking', thinking, signature });
  if (encrypted !== undefined) blocks.push({ type: 'redacted_thinking', data: encrypted });
  if (blocks.length === 0) warn('takes back only reasoning that it signed: the rest was left out');
  return blocks;
}
