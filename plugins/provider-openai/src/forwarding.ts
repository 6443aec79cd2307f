import { PatchbayError } from '@patchbay/core/plugin';
import { type Dialect, fieldsOf, type JsonFields, type ModelInfo } from '@patchbay/core/provider';
import type { Preset } from './presets.ts';

/** Where requests of each dialect go, from the base URL. */
export const forwardPaths: Readonly<Partial<Record<Dialect, string>>> = {
  'openai-chat': '/chat/completions',
  'openai-embeddings': '/embeddings',
};

/**
 * The models, each with the dialects in which it takes requests as they were sent: not those of servers that want some
 * members in another form.
 */
export function withDialects(
  models: ReadonlyMap<string, ModelInfo>,
  preset: Preset | undefined,
  usesResponses: (model: ModelInfo) => boolean,
): Map<string, ModelInfo> {
  const { shortToolCallIds, sendsUsageUnasked, seed, dimensions } = preset ?? {};
  const takesChats = !shortToolCallIds && !sendsUsageUnasked && typeof seed !== 'string';
  const dialectsOf = (model: ModelInfo): readonly Dialect[] => {
    if (model.capabilities.includes('embeddings')) return dimensions === undefined ? ['openai-embeddings'] : [];
    return takesChats && !usesResponses(model) ? ['openai-chat'] : [];
  };
  return new Map([...models].map(([name, model]) => [name, { ...model, dialects: dialectsOf(model) }]));
}

/**
 * Refuses what would go past the policies of this server.
 *
 * @throws PatchbayError `unsupported_parameter`.
 */
export function refuseMembers(provider: string, members: JsonFields, refused: readonly string[]): void {
  const found = refused.find((name) => members[name] !== undefined);
  if (found === undefined) return;
  const errors = [{ pointer: `/${found}`, code: 'unsupported_parameter', detail: 'is not accepted here' }];
  const upstream = { kind: 'unsupported', unsent: true } as const;
  const message = `${provider} accepts no ${found} here: it would go past the policies of this server`;
  throw new PatchbayError('unsupported_parameter', message, { errors, upstream });
}

/** As `refuseMembers`, for a body that was not read. */
export function refuseMembersOf(provider: string, body: Uint8Array, refused: readonly string[]): void {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  // Most bodies need not be read: they have no such name, nor an escape that one could be written with.
  if (refused.length === 0 || ![...refused, '\\u'].some((text) => bytes.includes(text))) return;
  refuseMembers(provider, fieldsOf(JSON.parse(bytes.toString())) ?? {}, refused);
}
