import type Anthropic from '@anthropic-ai/sdk';
import type { CacheMark, Message, TextPart, ToolResultPart } from '@patchbay/core/provider';
import { partsOf } from '@patchbay/core/provider';
import { type Field, MAX_MESSAGES } from '../request/field.ts';
import { ToolTurns, type ToolTurnWords } from '../request/tool-turns.ts';
import type { Warnings } from '../request/warnings.ts';
import { assistantPart } from './parse-assistant-blocks.ts';
import { cacheOf, type InputPart, inputParts, textPart } from './parse-input-blocks.ts';
import type { MessagesBody } from './request-body.ts';
import { unpackToolId } from './tool-ids.ts';

interface Reading {
  readonly warnings: Warnings;
  readonly turns: ToolTurns;
}

/** Clients know these words, and repair their conversation. */
const words: ToolTurnWords = {
  unknown: (id) =>
    `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a ` +
    'corresponding `tool_use` block in the previous message.',
  missing: (ids) =>
    `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}. Each \`tool_use\` block must ` +
    'have a corresponding `tool_result` block in the next message.',
};

/** The messages of a request, its system prompt before them. */
export function parseMessages(body: Field<MessagesBody>, warnings: Warnings): readonly Message[] {
  const system = body.member('system').maybe((field) => systemMessages(field, warnings)) ?? [];
  const given = body.member('messages');
  const list = given.list({ max: MAX_MESSAGES });
  if (list.length === 0) given.fail('invalid_value', 'must have at least one message');
  const reading = { warnings, turns: new ToolTurns(words) };
  const messages = list.flatMap((message, index) => parseMessage(message, index === list.length - 1, reading));
  if (messages.at(-1)?.role === 'assistant') {
    warnings.add('the last message is from the assistant: only some models continue it, others begin anew');
  } else {
    reading.turns.close(given);
  }
  return [...system, ...messages];
}

function parseMessage(message: Field<Anthropic.MessageParam>, isLast: boolean, reading: Reading): readonly Message[] {
  const { warnings, turns } = reading;
  const role = message.member('role').oneOf(['user', 'assistant', 'system']);
  const content = message.member('content');
  const extra = warnings.keep(message.rest(), 'messages[]');
  const blocks = content.textOrList();
  if (blocks.length === 0) {
    if (isLast && role === 'assistant') return [];
    content.fail('invalid_value', 'must not be empty, except for that of an assistant at the end');
  }
  if (role === 'system') return systemMessages(content.as(), warnings).map((each) => ({ ...each, ...extra }));
  if (role === 'assistant') turns.close(message);
  if (typeof blocks === 'string') return [{ role, content: blocks, ...extra }];
  if (role === 'assistant') {
    const parts = blocks.flatMap((block) => {
      const part = assistantPart(block, warnings);
      if (part?.type === 'tool-call') turns.called(part, block);
      return part ?? [];
    });
    return parts.length === 0 ? [] : [{ role, content: parts, ...extra }];
  }
  const [first, ...others] = userMessages(blocks, reading);
  return first ? [{ ...first, ...extra }, ...others] : [];
}

function systemMessages(system: Field<string | Anthropic.TextBlockParam[]>, warnings: Warnings): readonly Message[] {
  const blocks = system.textOrList();
  if (blocks.length === 0) return [];
  if (typeof blocks === 'string') return [{ role: 'system', content: blocks }];
  const content = blocks.map((block): TextPart => {
    block.member('type').oneOf(['text']);
    return textPart(block, warnings);
  });
  return [{ role: 'system', content }];
}

/** Tool results are separate messages. What precedes, separates or follows them are user messages. */
function userMessages(blocks: readonly Field<Anthropic.ContentBlockParam>[], reading: Reading): readonly Message[] {
  const messages: Message[] = [];
  let parts: InputPart[] = [];
  const endParts = (): void => {
    if (parts.length > 0) messages.push({ role: 'user', content: parts });
    parts = [];
  };
  for (const block of blocks) {
    if (block.member('type').value === 'tool_result') {
      endParts();
      messages.push(toolMessage(block.as(), reading));
    } else {
      parts.push(...inputParts(block, reading.warnings));
    }
  }
  endParts();
  return messages;
}

function toolMessage(block: Field<Anthropic.ToolResultBlockParam>, { warnings, turns }: Reading): Message {
  const toolCallId = turns.answered(unpackToolId(block.member('tool_use_id').name()), block.member('tool_use_id'));
  const isError = block.member('is_error').maybe((field) => field.flag()) ?? false;
  const content = block.member('content').maybe((field) => readResult(field, warnings)) ?? '';
  return {
    role: 'tool',
    toolCallId,
    content: withCache(content, cacheOf(block.as())),
    ...(isError ? { isError } : {}),
    ...warnings.keep(block.rest(), 'tool_result'),
  };
}

function readResult(content: Field<NonNullable<Anthropic.ToolResultBlockParam['content']>>, warnings: Warnings) {
  const blocks = content.textOrList();
  return typeof blocks === 'string' ? blocks : blocks.flatMap((block) => inputParts(block.as(), warnings));
}

/** A mark on the whole result is a mark on its last part. */
function withCache(
  content: string | readonly ToolResultPart[],
  cache: CacheMark | undefined,
): string | readonly ToolResultPart[] {
  if (content.length === 0) return '';
  if (!cache) return content;
  return partsOf(content).map((part, index, { length }) => (index === length - 1 ? { cache, ...part } : part));
}
