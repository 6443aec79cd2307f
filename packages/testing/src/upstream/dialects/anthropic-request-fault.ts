import { fieldsOf, type JsonFields, textOf } from '@patchbay/core/provider';
import type { UpstreamRequest } from '../upstream-request.ts';
import { member, objectsIn } from './dialect.ts';

/** The blocks that a message may have, by its role. */
const blockTypes: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image', 'document', 'search_result', 'tool_result'],
  assistant: ['text', 'thinking', 'redacted_thinking', 'tool_use', 'server_tool_use'],
  system: ['text'],
};

/** Required members of a block. */
const needed: Readonly<Record<string, readonly string[]>> = {
  thinking: ['thinking', 'signature'],
  redacted_thinking: ['data'],
  tool_use: ['id', 'name', 'input'],
  tool_result: ['tool_use_id'],
};

/** Why Anthropic would reject the body of a message request, in its own words. */
export function anthropicRequestFault(request: UpstreamRequest): string | undefined {
  const messages = objectsIn(member(request, 'messages'));
  return thinkingFault(request) ?? systemFault(messages) ?? messagesFault(messages);
}

function thinkingFault(request: UpstreamRequest): string | undefined {
  const { type, budget_tokens: budget } = fieldsOf(member(request, 'thinking')) ?? {};
  // Adaptive reasoning has no budget, and does not mind being forced to call a tool.
  if (type !== 'enabled') return undefined;
  if (typeof budget === 'number' && budget < 1_024) {
    return 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024';
  }
  if (typeof budget === 'number' && budget >= Number(member(request, 'max_tokens'))) {
    return '`max_tokens` must be greater than `thinking.budget_tokens`.';
  }
  const choice = fieldsOf(member(request, 'tool_choice'))?.['type'];
  return choice === 'any' || choice === 'tool'
    ? 'Thinking may not be enabled when tool_choice forces tool use.'
    : undefined;
}

/** System messages stand between a question and its answer. */
function systemFault(messages: readonly JsonFields[]): string | undefined {
  const roles = messages.map(({ role }) => role);
  const place = roles.findIndex(
    (role, index) =>
      role === 'system' && !(roles[index - 1] === 'user' && (roles[index + 1] ?? 'assistant') === 'assistant'),
  );
  return place < 0
    ? undefined
    : `messages.${place}: a system message must follow a user message, and precede an assistant message`;
}

function messagesFault(messages: readonly JsonFields[]): string | undefined {
  let open: readonly unknown[] = [];
  const end: JsonFields = {};
  for (const [index, { role, content }] of [...messages, end].entries()) {
    const blocks = objectsIn(content);
    const answered = blocks.flatMap(({ type, tool_use_id: id }) => (type === 'tool_result' ? [id] : []));
    const missing = open.filter((id) => !answered.includes(id));
    if (missing.length > 0) {
      return `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}.`;
    }
    const needless = answered.find((id) => !open.includes(id));
    if (needless !== undefined) {
      return `messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${textOf(needless)}.`;
    }
    open = blocks.flatMap(({ type, id }) => (type === 'tool_use' ? [id] : []));
    for (const [place, block] of blocks.entries()) {
      const fault = blockFault(block, String(role));
      if (fault !== undefined) return `messages.${index}.content.${place}${fault}`;
    }
  }
  return undefined;
}

function blockFault(block: JsonFields, role: string): string | undefined {
  const type = String(block['type']);
  if (!blockTypes[role]?.includes(type)) return `: Input tag '${type}' does not match any of the expected tags`;
  const missing = needed[type]?.find((name) => block[name] === undefined);
  if (missing !== undefined) return `.${type}.${missing}: Field required`;
  if (type === 'text' && block['text'] === '') return '.text.text: text content blocks must be non-empty';
  return cacheFault(type, block);
}

/** Reasoning is cached with what follows it, and the result of a tool as a whole. */
function cacheFault(type: string, block: JsonFields): string | undefined {
  const isMarked = ({ cache_control: mark }: JsonFields): boolean => mark !== undefined;
  if (type.endsWith('thinking') && isMarked(block)) return `.${type}.cache_control: Extra inputs are not permitted`;
  const place = objectsIn(block['content']).findIndex(isMarked);
  if (type !== 'tool_result' || place < 0) return undefined;
  return `.tool_result.content.${place}.cache_control: cache_control may not be specified within \`tool_result.content\`. Instead, place it directly on \`tool_result\``;
}
