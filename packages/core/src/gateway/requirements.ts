import type { ErrorCode } from '../contracts/error-codes.ts';
import { type Message, type ModelCapability, type Sampling, samplingNames } from '../contracts/provider.ts';
import type { RoutingOptions } from '../contracts/router.ts';
import { hasImage } from '../provider-kit/assert-supported.ts';
import type { Conversation } from './ask-model.ts';
import type { CatalogModel } from './model-catalog.ts';

/** Everything that a model needs for one request. */
export interface Requirements {
  readonly capabilities: readonly ModelCapability[];
  readonly sampling: Sampling;
  /** Estimated tokens of the question. */
  readonly inputTokens: number;
  /** Fewer tokens than this the question cannot have, whatever the tokenizer. */
  readonly leastInputTokens: number;
  readonly routing: RoutingOptions;
  /** The name of the function that is done, where one is: what was learned of it is asked for. */
  readonly task?: string;
}

/** The sampling values of a request, without those that are left out. */
export function samplingOf(input: Sampling): Sampling {
  const sampling: { -readonly [N in keyof Sampling]: Sampling[N] } = {};
  for (const name of samplingNames) {
    const value = input[name];
    if (value !== undefined) sampling[name] = value;
  }
  return sampling;
}

export function chatRequirements(conversation: Conversation, routing: RoutingOptions = {}): Requirements {
  const { messages, tools, responseSchema } = conversation;
  const capabilities = new Set<ModelCapability>(['chat', ...(routing.capabilities ?? [])]);
  if (messages.some(hasImage)) capabilities.add('vision');
  if (tools) capabilities.add('tools');
  if (responseSchema) capabilities.add('structured-output');
  const characters = messages.reduce((sum, message) => sum + textLength(message), 0) + jsonLength(tools);
  return { capabilities: [...capabilities], sampling: samplingOf(conversation), ...tokenEstimate(characters), routing };
}

export function embedRequirements(text: string, routing: RoutingOptions = {}): Requirements {
  const capabilities = new Set<ModelCapability>(['embeddings', ...(routing.capabilities ?? [])]);
  return { capabilities: [...capabilities], sampling: {}, ...tokenEstimate(text.length), routing };
}

// Assumed, not measured: on ordinary text a token has 4 characters, and 16 at most. What is doubtful is left to the provider.
function tokenEstimate(characters: number): { inputTokens: number; leastInputTokens: number } {
  return { inputTokens: Math.ceil(characters / 4), leastInputTokens: Math.floor(characters / 16) };
}

function textLength({ content }: Message): number {
  if (typeof content === 'string') return content.length;
  return content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);
}

const jsonLength = (value: unknown): number => (value === undefined ? 0 : JSON.stringify(value).length);

/** Why a model cannot serve a request. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly reason: string;
  /** The parameter at fault, where there is one. */
  readonly parameter?: keyof Sampling;
}

/**
 * Decide whether a model can serve a request at all. Done here and not by routers, so that no router can send a prompt
 * to a provider that the caller denied.
 */
export function refusalOf({ info, provider }: CatalogModel, needs: Requirements): Refusal | undefined {
  const { allow, deny } = needs.routing.providers ?? {};
  if (deny?.includes(provider)) return mismatch(`the provider ${provider} is denied by the request`);
  if (allow && !allow.includes(provider)) return mismatch(`the provider ${provider} is not allowed by the request`);

  const missing = needs.capabilities.filter((capability) => !info.capabilities.includes(capability));
  if (missing.length > 0) return mismatch(`lacks ${missing.join(', ')}`);

  return tooExpensive(info, needs.routing.maxPrice) ?? refusedParameter(info, needs.sampling) ?? tooLong(info, needs);
}

/** Neither price may be above the limit: a model with cheap output can have expensive input, and embeddings have no other. */
function tooExpensive({ pricing }: CatalogModel['info'], maxPrice: number | undefined): Refusal | undefined {
  if (maxPrice === undefined) return undefined;
  if (!pricing) return mismatch('has no known price');
  for (const kind of ['input', 'output'] as const) {
    if (pricing[kind] > maxPrice) return mismatch(`costs ${pricing[kind]} USD per 1M ${kind} tokens`);
  }
  return undefined;
}

function refusedParameter(info: CatalogModel['info'], sampling: Sampling): Refusal | undefined {
  const parameter = info.unsupported?.find((name) => sampling[name] !== undefined);
  if (parameter) return { code: 'unsupported_parameter', reason: `does not support ${parameter}`, parameter };
  const { maxTokens, temperature } = sampling;
  if (maxTokens !== undefined && info.maxTokens !== undefined && maxTokens > info.maxTokens) {
    const reason = `makes at most ${info.maxTokens} tokens`;
    return { code: 'unsupported_parameter', reason, parameter: 'maxTokens' };
  }
  if (temperature !== undefined && info.maxTemperature !== undefined && temperature > info.maxTemperature) {
    const reason = `supports a temperature of at most ${info.maxTemperature}`;
    return { code: 'unsupported_parameter', reason, parameter: 'temperature' };
  }
  return undefined;
}

function tooLong(info: CatalogModel['info'], needs: Requirements): Refusal | undefined {
  if (info.contextWindow === undefined || needs.leastInputTokens <= info.contextWindow) return undefined;
  return { code: 'context_length_exceeded', reason: `has a context of ${info.contextWindow} tokens` };
}

export const mismatch = (reason: string): Refusal => ({ code: 'model_capability_mismatch', reason });
