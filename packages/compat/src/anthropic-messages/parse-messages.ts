import type Anthropic from '@anthropic-ai/sdk';
import type { CacheMark, Message, TextPart, ToolResultPart } from '@patchbay/core/provider';
import { Fields } from './fields.ts';
import { invalidRequest, type Place, placeOf } from './invalid-request.ts';
import type { Notes } from './notes.ts';
import { assistantPart } from './parse-assistant-blocks.ts';
import { blockOf, cacheOf, type InputPart, inputParts, textPart } from './parse-input-blocks.ts';
import { unpackToolId } from './tool-ids.ts';
import { ToolPairs } from './tool-pairs.ts';

type Conversation = Pick<Anthropic.MessageCreateParamsNonStreaming, 'system' | 'messages'>;

/** The messages of a request, its system prompt before them. */
export function parseMessages(body: Fields<Conversation>, notes: Notes): readonly Message[] {
  const system = systemMessage(body.get('system'), body.at('system'), notes);
  body.required('messages');
  const list = body.list('messages') ?? [];
  if (list.length === 0) throw invalidRequest(body.at('messages'), 'at least one message is required', 'minItems');
  const pairs = new ToolPairs();
  const messages = list.flatMap((value, index) => {
    const message = new Fields<Anthropic.MessageParam>(value, placeOf(body.at('messages'), index));
    return parseMessage(message, index === list.length - 1, pairs, notes);
  });
  const last = messages.at(-1);
  if (last?.role === 'assistant') {
    notes.add('the last message is from the assistant: only some models continue it, others begin anew');
  } else {
    pairs.end(body.at('messages'));
  }
  return [...system, ...messages];
}

function parseMessage(
  message: Fields<Anthropic.MessageParam>,
  isLast: boolean,
  pairs: ToolPairs,
  notes: Notes,
): readonly Message[] {
  const role = message.oneOf('role', ['user', 'assistant', 'system']);
  const content = message.required('content');
  const blocks = typeof content === 'string' ? undefined : (message.list('content') ?? []);
  const extra = notes.keep(message.rest(), 'messages');
  const isEmpty = content === '' || blocks?.length === 0;
  if (isEmpty && isLast && role === 'assistant') return [];
  if (isEmpty) {
    const detail = 'all messages must have non-empty content except for the optional final assistant message';
    throw invalidRequest(message.place, detail, 'minItems');
  }
  const at = (index: number): Place => placeOf(message.at('content'), index);
  if (role === 'system') {
    return systemMessage(content, message.at('content'), notes).map((each) => ({ ...each, ...extra }));
  }
  if (role === 'assistant') {
    pairs.end(message.place);
    if (!blocks) return [{ role, content: content as string, ...extra }];
    const parts = blocks.flatMap((block, index) => assistantPart(block, at(index), notes) ?? []);
    pairs.begin(parts);
    return parts.length === 0 ? [] : [{ role, content: parts, ...extra }];
  }
  if (!blocks) return [{ role, content: content as string, ...extra }];
  const [first, ...others] = userMessages(blocks, at, pairs, notes);
  return first ? [{ ...first, ...extra }, ...others] : [];
}

function systemMessage(system: unknown, place: Place, notes: Notes): readonly Message[] {
  if (system === undefined || system === '') return [];
  if (typeof system === 'string') return [{ role: 'system', content: system }];
  if (!Array.isArray(system)) throw invalidRequest(place, 'Input should be a valid string or list', 'type');
  const parts = system.map((value: unknown, index): TextPart => {
    const block = new Fields<Anthropic.TextBlockParam>(value, placeOf(place, index));
    block.oneOf('type', ['text']);
    return textPart(block, notes);
  });
  return parts.length === 0 ? [] : [{ role: 'system', content: parts }];
}

/** Results of tools are messages of their own. What stands before, between and behind them are messages of the user. */
function userMessages(
  blocks: readonly unknown[],
  at: (index: number) => Place,
  pairs: ToolPairs,
  notes: Notes,
): readonly Message[] {
  const messages: Message[] = [];
  let parts: InputPart[] = [];
  const endParts = (): void => {
    if (parts.length > 0) messages.push({ role: 'user', content: parts });
    parts = [];
  };
  for (const [index, value] of blocks.entries()) {
    const { block, type } = blockOf(value, at(index));
    if (type === 'tool_result') {
      endParts();
      messages.push(toolMessage(block.as<Anthropic.ToolResultBlockParam>(), pairs, notes));
    } else {
      parts.push(...inputParts(value, at(index), notes, ['tool_result']));
    }
  }
  endParts();
  return messages;
}

function toolMessage(block: Fields<Anthropic.ToolResultBlockParam>, pairs: ToolPairs, notes: Notes): Message {
  const toolCallId = unpackToolId(block.name('tool_use_id'));
  pairs.answer(toolCallId, block.place);
  const isError = block.flag('is_error') ?? false;
  const content = block.get('content') ?? '';
  const parts =
    typeof content === 'string'
      ? content
      : (block.list('content') ?? []).flatMap((value, index) =>
          inputParts(value, placeOf(block.at('content'), index), notes, ['tool_reference']),
        );
  return {
    role: 'tool',
    toolCallId,
    content: withCache(parts, cacheOf(block.as())),
    ...(isError ? { isError } : {}),
    ...notes.keep(block.rest(), 'tool_result'),
  };
}

/** A mark of the whole result is one behind its last part. */
function withCache(
  content: string | readonly ToolResultPart[],
  cache: CacheMark | undefined,
): string | readonly ToolResultPart[] {
  if (content.length === 0) return '';
  if (!cache) return content;
  const parts: readonly ToolResultPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return parts.map((part, index) => (index === parts.length - 1 ? { cache, ...part } : part));
}
