import type Anthropic from '@anthropic-ai/sdk';
import type { CacheMark, Message, TextPart, ToolResultPart } from '@patchbay/core/provider';
import { partsOf } from '@patchbay/core/provider';
import { type Field, MAX_MESSAGES } from '../request/field.ts';
import type { Warnings } from '../request/warnings.ts';
import { assistantPart } from './parse-assistant-blocks.ts';
import { cacheOf, type InputPart, inputParts, textPart } from './parse-input-blocks.ts';
import type { MessagesBody } from './request-body.ts';
import { unpackToolId } from './tool-ids.ts';
import { ToolPairs } from './tool-pairs.ts';

interface Reading {
  readonly warnings: Warnings;
  readonly pairs: ToolPairs;
}

/** The messages of a request, its system prompt before them. */
export function parseMessages(body: Field<MessagesBody>, warnings: Warnings): readonly Message[] {
  const system = body.member('system').maybe((field) => systemMessages(field, warnings)) ?? [];
  const given = body.member('messages');
  const list = given.list({ max: MAX_MESSAGES });
  if (list.length === 0) given.fail('invalid_value', 'must have at least one message');
  const reading = { warnings, pairs: new ToolPairs() };
  const messages = list.flatMap((message, index) => parseMessage(message, index === list.length - 1, reading));
  if (messages.at(-1)?.role === 'assistant') {
    warnings.add('the last message is from the assistant: only some models continue it, others begin anew');
  } else {
    reading.pairs.end(given);
  }
  return [...system, ...messages];
}

function parseMessage(message: Field<Anthropic.MessageParam>, isLast: boolean, reading: Reading): readonly Message[] {
  const { warnings, pairs } = reading;
  const role = message.member('role').oneOf(['user', 'assistant', 'system']);
  const content = message.member('content');
  const extra = warnings.keep(message.rest(), 'messages[]');
  const blocks = content.textOrList();
  if (blocks.length === 0) {
    if (isLast && role === 'assistant') return [];
    content.fail('invalid_value', 'must not be empty, except for that of an assistant at the end');
  }
  if (role === 'system') return systemMessages(content.as(), warnings).map((each) => ({ ...each, ...extra }));
  if (role === 'assistant') pairs.end(message);
  if (typeof blocks === 'string') return [{ role, content: blocks, ...extra }];
  if (role === 'assistant') {
    const parts = blocks.flatMap((block) => assistantPart(block, warnings) ?? []);
    pairs.begin(parts);
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

/** Results of tools are messages of their own. What stands before, between and behind them are messages of the user. */
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

function toolMessage(block: Field<Anthropic.ToolResultBlockParam>, { warnings, pairs }: Reading): Message {
  const toolCallId = pairs.answer(unpackToolId(block.member('tool_use_id').name()), block.member('tool_use_id'));
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

/** A mark of the whole result is one behind its last part. */
function withCache(
  content: string | readonly ToolResultPart[],
  cache: CacheMark | undefined,
): string | readonly ToolResultPart[] {
  if (content.length === 0) return '';
  if (!cache) return content;
  return partsOf(content).map((part, index, { length }) => (index === length - 1 ? { cache, ...part } : part));
}
