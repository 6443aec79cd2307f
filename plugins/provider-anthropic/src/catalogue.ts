import type { ModelInfo } from '@patchbay/core/provider';
import data from './catalogue.json' with { type: 'json' };

export const catalogue = data.models as readonly ModelInfo[];

/** Facts of every model with the Messages API, including those of the operator. */
export const messagesModel = {
  vendor: 'anthropic',
  unsupported: ['frequencyPenalty', 'presencePenalty'],
  maxTemperature: 1,
} as const;

/** Models that refuse to be forced to call a tool. */
export const noForcedTools: ReadonlySet<string> = new Set(data.noForcedTools);

/** Models that accept system messages also between a question and its answer. */
export const systemWithin: ReadonlySet<string> = new Set(data.systemWithin);

/** How models reason, by the names of those that differ from the others. */
export const reasoningModels = {
  /** They reason unless the request says otherwise, within the same token budget. */
  byDefault: new Set(data.thinksByDefault) as ReadonlySet<string>,
  /** They reason whatever the request says. */
  always: new Set(data.alwaysThinks) as ReadonlySet<string>,
  /** At the least, they write notes between two tool calls. */
  betweenTools: new Set(data.thinksBetweenTools) as ReadonlySet<string>,
  /** They have no levels of effort, only a token budget. */
  byBudget: new Set(data.thinksByBudget) as ReadonlySet<string>,
  /** They have no level between `high` and the highest. */
  withoutXhigh: new Set(data.withoutXhigh) as ReadonlySet<string>,
};
