import type { ModelInfo } from '@patchbay/core/provider';
import data from './catalogue.json' with { type: 'json' };

export const catalogue = data.models as readonly ModelInfo[];

/** Facts of every model that speaks the Messages API, also of those of the operator. */
export const messagesModel = {
  vendor: 'anthropic',
  unsupported: ['frequencyPenalty', 'presencePenalty'],
  maxTemperature: 1,
} as const;

/** Models that refuse to be forced to call a tool. */
export const noForcedTools: ReadonlySet<string> = new Set(data.noForcedTools);

/** Models that reason by default, within the same token budget. */
export const thinksByDefault: ReadonlySet<string> = new Set(data.thinksByDefault);
