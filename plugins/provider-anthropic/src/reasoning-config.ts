import type Anthropic from '@anthropic-ai/sdk';
import { type ChatRequest, fieldsOf, type ModelInfo, providerError } from '@patchbay/core/provider';
import { reasoningModels } from './catalogue.ts';
import { forcesTool } from './tool-use.ts';
import { vendorMembers } from './vendor-members.ts';

export interface ReasoningConfig {
  readonly thinking?: Anthropic.ThinkingConfigParam;
  readonly effort?: NonNullable<Anthropic.OutputConfig['effort']>;
  readonly warnings: readonly string[];
}

type Effort = NonNullable<ChatRequest['reasoningEffort']>;

/** Whether the model uses a part of its token limit to reason. */
export function reasons(model: ModelInfo, request: ChatRequest): boolean {
  const { reasoningEffort } = request;
  const vendorConfig = fieldsOf(vendorMembers(request)['thinking']);
  if (vendorConfig) return vendorConfig['type'] !== 'disabled';
  if (reasoningEffort === undefined) return reasoningModels.byDefault.has(model.name);
  return reasoningEffort !== 'none' || reasoningModels.always.has(model.name);
}

/**
 * The effort in the terms of the model: adaptive reasoning with a level of effort, or a number of tokens.
 *
 * @param provider Name of the provider, for messages.
 * @param maxTokens The token limit, of which reasoning is a part.
 */
export function reasoningConfig(
  provider: string,
  model: ModelInfo,
  request: ChatRequest,
  maxTokens: number,
): ReasoningConfig {
  const { reasoningEffort: asked } = request;
  const label = `${provider}/${model.name}`;
  if (asked === undefined) return { warnings: [] };
  if (asked === 'none') return leastReasoning(label, model, request);
  if (!model.capabilities.includes('reasoning')) {
    throw providerError('unsupported', `${label} does not support reasoningEffort`, { parameter: 'reasoningEffort' });
  }
  if (reasoningModels.byBudget.has(model.name)) return budget(label, request, asked, maxTokens);
  const { effort, warnings } = levelOf(label, model, asked);
  if (reasoningModels.byDefault.has(model.name)) return { effort, warnings };
  assertDefaultSampling(label, request);
  return { thinking: { type: 'adaptive' }, effort, warnings };
}

function leastReasoning(label: string, { name }: ModelInfo, { tools = [] }: ChatRequest): ReasoningConfig {
  if (reasoningModels.always.has(name)) {
    return { effort: 'low', warnings: [`${label} always reasons: reasoningEffort none was sent as low`] };
  }
  if (reasoningModels.betweenTools.has(name)) {
    const warning = `${label} still reasons between calls of tools`;
    return { thinking: { type: 'between_tools' }, warnings: tools.length > 0 ? [warning] : [] };
  }
  return reasoningModels.byDefault.has(name) ? { thinking: { type: 'disabled' }, warnings: [] } : { warnings: [] };
}

function levelOf(label: string, { name }: ModelInfo, asked: Exclude<Effort, 'none'>) {
  const sentAs = (effort: 'low' | 'high') => ({
    effort,
    warnings: [`${label} has no reasoningEffort ${asked}: it was sent as ${effort}`],
  });
  if (asked === 'minimal') return sentAs('low');
  if (asked === 'xhigh' && reasoningModels.withoutXhigh.has(name)) return sentAs('high');
  return { effort: asked, warnings: [] };
}

/** Our own steps between the smallest budget and half of the longest answer of the model that needs them. */
const budgets: Readonly<Record<Exclude<Effort, 'none'>, number>> = {
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 32_768,
};

/** The minimum that Anthropic accepts, according to its SDK. */
const SMALLEST_BUDGET = 1_024;

function budget(
  label: string,
  request: ChatRequest,
  asked: Exclude<Effort, 'none'>,
  maxTokens: number,
): ReasoningConfig {
  if (forcesTool(request)) return { warnings: [`${label} does not reason where it is forced to call a tool`] };
  // The rest of the limit is for the completion.
  const tokens = Math.min(budgets[asked], Math.floor(maxTokens / 2));
  if (tokens < SMALLEST_BUDGET) {
    return { warnings: [`${label} does not reason within maxTokens below ${SMALLEST_BUDGET * 2}`] };
  }
  assertDefaultSampling(label, request);
  return { thinking: { type: 'enabled', budget_tokens: tokens }, warnings: [] };
}

/** @throws PatchbayError `unsupported_parameter`: models that take a temperature take none while they reason. */
function assertDefaultSampling(label: string, { temperature = 1, topP = 1 }: ChatRequest): void {
  if (temperature === 1 && topP >= 0.95) return;
  const message = `${label} takes temperature 1 and topP from 0.95 only while it reasons`;
  throw providerError('unsupported', message, { parameter: temperature === 1 ? 'topP' : 'temperature' });
}
