import type { JsonObject } from '@patchbay/core/plugin';
import {
  type ChatRequest,
  type Extra,
  fieldsOf,
  foreignMembers,
  type JsonFields,
  listOf,
  providerError,
  textOf,
} from '@patchbay/core/provider';

/** The wire formats of OpenAI, as `extra` names them. */
export type OpenAiFormat = 'openai-chat' | 'openai-responses';

interface WithExtra {
  readonly extra?: Extra;
}

/** Members that both APIs call the same. */
const shared: ReadonlySet<string> = new Set([
  'metadata',
  'user',
  'service_tier',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'prompt_cache_breakpoint',
  'role',
  'detail',
  'image_url',
  'strict',
]);

const siblings = { 'openai-chat': 'openai-responses', 'openai-responses': 'openai-chat' } as const;

/** The members that the caller added for this wire format, and those of the other one that are the same here. */
export function extraOf({ extra }: WithExtra, format: OpenAiFormat): JsonObject {
  if (!extra) return {};
  const sibling = Object.entries(extra[siblings[format]] ?? {}).filter(([name]) => shared.has(name));
  return { ...Object.fromEntries(sibling), ...extra[format] };
}

/** Files at the vendor are stored under our key: an id could be that of another customer's file. */
export function refuseStored(provider: string, members: JsonFields): void {
  if (members['file_id'] === undefined) return;
  throw providerError('unsupported', `${provider} does not support files by their id: send the file itself`);
}

/** Items at the vendor are stored under our key as well: only those of its tools are sent back, and as a whole. */
export function refuseReferences(provider: string, items: readonly unknown[]): void {
  const isOfTool = (item: unknown): boolean => /_call(_output)?$|^mcp_/.test(textOf(fieldsOf(item)?.['type']) ?? '');
  if (items.every(isOfTool)) return;
  throw providerError('unsupported', `${provider} does not support references to what it stores: send it as messages`);
}

/** One warning for each other wire format that the request has members of. */
export function foreignTo(format: OpenAiFormat, request: ChatRequest): readonly string[] {
  return foreignMembers(request, (other, name) => other === format || (other === siblings[format] && shared.has(name)));
}

/** Texts that a stream sends in pieces. Every other text is complete. */
const growing: ReadonlySet<string> = new Set(['text', 'summary', 'data', 'transcript', 'content', 'thinking']);

/** Adds a piece of a streamed object to what came before it. */
export function mergeMembers(into: Record<string, unknown>, piece: JsonFields): void {
  for (const name in piece) {
    const value = piece[name];
    if (value === null || name === '__proto__') continue;
    const before = into[name];
    const [list, object] = [listOf(value), fieldsOf(value)];
    if (list && Array.isArray(before)) mergeList(before, list);
    else if (object && fieldsOf(before)) mergeMembers(before as Record<string, unknown>, object);
    else if (typeof value === 'string' && typeof before === 'string' && growing.has(name)) into[name] = before + value;
    else into[name] = value;
  }
}

/** Elements with an `index` are pieces of the element of that index and type; all others follow each other. */
export function mergeList(into: unknown[], pieces: readonly unknown[]): void {
  for (const piece of pieces) {
    const fields = fieldsOf(piece);
    const index = fields?.['index'];
    const place = typeof index === 'number' && into.find((each) => isPlace(fieldsOf(each), index, fields?.['type']));
    if (place && fields) mergeMembers(place as Record<string, unknown>, fields);
    else into.push(piece);
  }
}

function isPlace(element: JsonFields | undefined, index: number, type: unknown): boolean {
  return element?.['index'] === index && element['type'] === type;
}

const knownMembers: ReadonlySet<string> = new Set([
  'role',
  'content',
  'refusal',
  'tool_calls',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
]);

/** The members of a choice and its message that the contract has no name for, such as `annotations`. */
export function otherMembers(choice: JsonFields | undefined, message: JsonFields): JsonFields {
  const logprobs = choice?.['logprobs'];
  if (!isSaid(logprobs) && isKnown(message)) return noMembers;
  const members = Object.entries({ ...message, logprobs });
  return Object.fromEntries(members.filter(([name, value]) => !knownMembers.has(name) && isSaid(value)));
}

const noMembers: JsonFields = {};

/** True of nearly every delta of a stream, whose members are then not listed. */
function isKnown(message: JsonFields): boolean {
  for (const name in message) if (!knownMembers.has(name)) return false;
  return true;
}

const isSaid = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && listOf(value)?.length !== 0;

/** The members as `extra` of a result, if there are any. */
export function asExtra(format: string, members: JsonFields): { readonly extra?: Extra } {
  return Object.keys(members).length > 0 ? { extra: { [format]: members as JsonObject } } : {};
}
