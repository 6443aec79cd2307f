import type { JsonObject } from '@patchbay/core/plugin';
import {
  type ChatRequest,
  type Extra,
  fieldsOf,
  foreignMembers,
  type JsonFields,
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
