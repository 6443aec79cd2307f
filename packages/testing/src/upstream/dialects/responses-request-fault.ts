import { textOf } from '@patchbay/core/provider';
import type { UpstreamRequest } from '../upstream-request.ts';
import { member, objectsIn } from './dialect.ts';

/** Members of Chat Completions that Responses lacks or names differently. */
const ofChats = [
  ...(['messages', 'max_tokens', 'max_completion_tokens', 'response_format', 'reasoning_effort'] as const),
  ...(['stop', 'seed', 'frequency_penalty', 'presence_penalty'] as const),
];

/** Why OpenAI would reject the body of a Responses request, in its own words. */
export function responsesRequestFault(request: UpstreamRequest): string | undefined {
  const unsupported = ofChats.find((name) => member(request, name) !== undefined);
  if (unsupported) return `Unsupported parameter: '${unsupported}'.`;
  const items = objectsIn(member(request, 'input'));
  const idsOf = (kind: string) => items.flatMap(({ type, call_id: id }) => (type === kind ? [id] : []));
  const [calls, outputs] = [idsOf('function_call'), idsOf('function_call_output')];
  const open = calls.find((id) => !outputs.includes(id));
  if (open !== undefined) return `No tool output found for function call ${textOf(open)}.`;
  // Items that are only referenced may have them.
  const isWhole =
    member(request, 'previous_response_id') === undefined && items.every(({ type }) => type !== 'item_reference');
  const needless = isWhole ? outputs.find((id) => !calls.includes(id)) : undefined;
  if (needless !== undefined) return `No tool call found for function call output with call_id ${textOf(needless)}.`;
  const isStored = member(request, 'store') !== false;
  for (const [index, { type, id, summary, encrypted_content: encrypted }] of items.entries()) {
    if (type === 'item_reference' && (!isStored || typeof id !== 'string')) return notFound(id);
    if (type !== 'reasoning') continue;
    if (!Array.isArray(summary)) return `Missing required parameter: 'input[${index}].summary'.`;
    if (!isStored && typeof encrypted !== 'string') {
      return notFound(id);
    }
  }
  return undefined;
}

function notFound(id: unknown): string {
  return `Item with id '${String(id)}' not found. Items are not persisted when \`store\` is set to false.`;
}
