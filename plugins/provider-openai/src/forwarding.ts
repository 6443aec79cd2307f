import type { Dialect, ModelInfo } from '@patchbay/core/provider';
import type { Preset } from './presets.ts';

/** Where requests of each dialect go, from the base URL. */
export const forwardPaths: Readonly<Partial<Record<Dialect, string>>> = {
  'openai-chat': '/chat/completions',
  'openai-responses': '/responses',
  'openai-compaction': '/responses/compact',
  'openai-embeddings': '/embeddings',
};

/**
 * The models, each with the dialects in which it takes requests as they were sent: not those of servers that want some
 * members in another form. Models of OpenAI keep the responses that clients of that API name later; many other servers
 * that have it do not.
 */
export function withDialects(
  models: ReadonlyMap<string, ModelInfo>,
  preset: Preset | undefined,
  usesResponses: (model: ModelInfo) => boolean,
): Map<string, ModelInfo> {
  const { shortToolCallIds, sendsUsageUnasked, seed, dimensions, keepsResponses } = preset ?? { keepsResponses: true };
  const takesChats = !shortToolCallIds && !sendsUsageUnasked && typeof seed !== 'string';
  const dialectsOf = (model: ModelInfo): readonly Dialect[] => {
    if (model.capabilities.includes('embeddings')) return dimensions === undefined ? ['openai-embeddings'] : [];
    return [
      ...(takesChats && !usesResponses(model) ? (['openai-chat'] as const) : []),
      ...(keepsResponses && model.vendor === 'openai' ? (['openai-responses', 'openai-compaction'] as const) : []),
    ];
  };
  return new Map([...models].map(([name, model]) => [name, { ...model, dialects: dialectsOf(model) }]));
}
