import { type ChatRequest, type ModelInfo, providerError } from '@patchbay/core/provider';
import { reasoningBudgets, reasonMinimally } from './catalogue.ts';
import type { ThinkingConfig } from './wire.ts';

/**
 * The numbers of Google's own interface for clients of OpenAI, from ai.google.dev/gemini-api/docs/openai, read 2026-11-23
 * in a copy of that summer. It has no `xhigh`: that is the largest budget that any of the models takes.
 */
const budgets = { minimal: 1_024, low: 1_024, medium: 8_192, high: 24_576, xhigh: 32_768 } as const;

/**
 * The effort in the terms of the model: a level, or a number of tokens.
 *
 * @param provider Name of the provider, for messages.
 */
export function thinkingConfig(
  provider: string,
  model: ModelInfo,
  { reasoningEffort: asked }: ChatRequest,
): { readonly config?: ThinkingConfig; readonly warnings: readonly string[] } {
  const label = `${provider}/${model.name}`;
  if (asked === undefined) return { warnings: [] };
  const known = model.capabilities.includes('reasoning');
  if (!known && asked === 'none') return { warnings: [] };
  if (!known) throw providerError('unsupported', `${label} does not support reasoningEffort`);

  const budget = reasoningBudgets.get(model.name);
  if (budget && asked === 'none') {
    const warnings =
      budget.none > 0 ? [`${label} always reasons: reasoningEffort none was sent as ${budget.none} tokens`] : [];
    return { config: { thinkingBudget: budget.none }, warnings };
  }
  if (budget && asked !== 'none') {
    const tokens = Math.min(budgets[asked], budget.most);
    const isLess = tokens < budgets[asked];
    return { config: { thinkingBudget: tokens }, warnings: isLess ? [sentAs(label, asked, 'high')] : [] };
  }

  if (asked === 'xhigh') return { config: { thinkingLevel: 'high' }, warnings: [sentAs(label, asked, 'high')] };
  const level = asked === 'none' || asked === 'minimal' ? least(model) : asked;
  return { config: { thinkingLevel: level }, warnings: level === asked ? [] : [sentAs(label, asked, level)] };
}

const least = ({ name }: ModelInfo) => (reasonMinimally.has(name) ? 'minimal' : 'low');

const sentAs = (label: string, asked: string, level: string) =>
  `${label} has no reasoningEffort ${asked}: it was sent as ${level}`;
