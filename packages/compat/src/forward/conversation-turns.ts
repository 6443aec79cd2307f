import { fieldsOf, listOf, textOf } from '@patchbay/core/provider';
import type { OriginalRequest } from '../gateway-types.ts';

type Turn = ReturnType<NonNullable<OriginalRequest['conversing']>['turns']>[number];

/** Members of a message whose texts distinguish conversations. Reasoning and cache marks may differ in the next request. */
const counted = [
  'content',
  'text',
  'refusal',
  'tool_calls',
  'tool_use_id',
  'tool_call_id',
  'call_id',
  'output',
] as const;

/** Parts whose id comes from the model. */
const calls: ReadonlySet<unknown> = new Set(['function', 'custom', 'tool_use', 'item_reference']);

/** The turns of a request in the dialects of OpenAI and Anthropic alike, after its system prompt. */
export function turnsOf(messages: unknown, system?: unknown): readonly Turn[] {
  const list = typeof messages === 'string' ? [messages] : (listOf(messages) ?? []);
  const turns = list.map((message) => ({ isAnswer: isAnswer(message), texts: textsIn(message) }));
  return system === undefined ? turns : [{ isAnswer: false, texts: textsIn(system) }, ...turns];
}

/** Items of responses have a role only in messages: those of the client are named after the calls they respond to. */
function isAnswer(message: unknown): boolean {
  const { role, type } = fieldsOf(message) ?? { role: 'user' };
  return role === 'assistant' || (role === undefined && !/_(?:output|response)$/.test(textOf(type) ?? ''));
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap((each) => textsIn(each));
  const members = fieldsOf(value);
  if (!members) return [];
  const id = calls.has(members['type']) ? textOf(members['id']) : undefined;
  return [...(id === undefined ? [] : [id]), ...counted.flatMap((name) => textsIn(members[name]))];
}
