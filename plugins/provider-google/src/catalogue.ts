import type { ModelInfo } from '@patchbay/core/provider';
import data from './catalogue.json' with { type: 'json' };

export const catalogue = data.models as readonly ModelInfo[];

/** Facts of every Gemini model, including those of the operator. */
export const geminiModel = { vendor: 'google', unsupported: ['frequencyPenalty', 'presencePenalty'] } as const;

/** Models that know the level `minimal`; for the others, `low` is the least. */
export const reasonMinimally: ReadonlySet<string> = new Set(data.reasonMinimally);

/**
 * Models without levels, only a token budget: the minimum, which is 0 if they can do without reasoning, and the
 * maximum.
 */
export const reasoningBudgets: ReadonlyMap<string, { readonly none: number; readonly most: number }> = new Map(
  Object.entries(data.reasoningBudgets),
);

/** The generation that signs no thoughts behind calls, and accepts only texts as results of tools. */
export const isGemini2 = (model: string): boolean => model.startsWith('gemini-2');
