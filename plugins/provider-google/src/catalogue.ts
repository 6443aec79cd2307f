import type { ModelInfo } from '@patchbay/core/provider';
import data from './catalogue.json' with { type: 'json' };

export const catalogue = data.models as readonly ModelInfo[];

/** Facts of every Gemini model, also of those of the operator. */
export const geminiModel = { vendor: 'google', unsupported: ['frequencyPenalty', 'presencePenalty'] } as const;
