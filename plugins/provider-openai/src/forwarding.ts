import type { Dialect, ModelInfo } from '@patchbay/core/provider';
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
