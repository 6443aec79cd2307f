import type { ModelInfo } from '@patchbay/core/provider';
import data from './catalogue.json' with { type: 'json' };

export const catalogue = data.models as readonly ModelInfo[];

/** Facts of every Gemini model, also of those of the operator. */
export const geminiModel = { vendor: 'google', unsupported: ['frequencyPenalty', 'presencePenalty'] } as const;

/** Models that know the level `minimal`; for the others, `low` is the least. */
export const reasonMinimally: ReadonlySet<string> = new Set(data.reasonMinimally);

/** Models that know no levels, only a number of tokens: the least, which is nothing where they can leave it, and the most. */
export const reasoningBudgets: ReadonlyMap<string, { readonly none: number; readonly most: number }> = new Map(
  Object.entries(data.reasoningBudgets),
);

/** The generation that signs no thoughts behind calls, and takes texts alone as results of tools. */
export const isGemini2 = (model: string): boolean => model.startsWith('gemini-2');
