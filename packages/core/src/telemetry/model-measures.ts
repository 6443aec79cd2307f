import { PatchbayError } from '@patchbay/contracts/errors';
import type { ChatRequest, ChatResult, FinishReason, Usage } from '@patchbay/contracts/provider';
import type { Attributes } from '@patchbay/contracts/telemetry';
import type { Measuring } from './measuring.ts';

export type ModelOperation = 'chat' | 'embeddings';

/** Span attributes of the usage of a call. */
export function usageAttributes(usage: Usage): Attributes {
  const { uncachedInputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  return {
    'gen_ai.usage.input_tokens': uncachedInputTokens + cacheReadTokens + cacheWriteTokens,
    'gen_ai.usage.output_tokens': outputTokens,
    ...(cacheReadTokens > 0 && { 'gen_ai.usage.cache_read.input_tokens': cacheReadTokens }),
    ...(cacheWriteTokens > 0 && { 'gen_ai.usage.cache_creation.input_tokens': cacheWriteTokens }),
  };
}

/** Span attributes of a request: its parameters, never its content. */
export function requestAttributes(request: ChatRequest): Attributes {
  const { maxTokens, temperature, topP, frequencyPenalty, presencePenalty, responseSchema } = request;
  return {
    'gen_ai.output.type': responseSchema === undefined ? 'text' : 'json',
    ...(maxTokens !== undefined && { 'gen_ai.request.max_tokens': maxTokens }),
    ...(temperature !== undefined && { 'gen_ai.request.temperature': temperature }),
    ...(topP !== undefined && { 'gen_ai.request.top_p': topP }),
    ...(frequencyPenalty !== undefined && { 'gen_ai.request.frequency_penalty': frequencyPenalty }),
    ...(presencePenalty !== undefined && { 'gen_ai.request.presence_penalty': presencePenalty }),
  };
}

const finishReasons: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
};

/** Span attributes of a complete response. */
export function answerAttributes(answer: Pick<ChatResult, 'usage' | 'finishReason' | 'model'>): Attributes {
  return {
    ...usageAttributes(answer.usage),
    'gen_ai.response.finish_reasons': [finishReasons[answer.finishReason]],
    ...(answer.model !== undefined && { 'gen_ai.response.model': answer.model }),
  };
}

export interface MeasuredModelCall {
  readonly labels: ModelLabels;
  readonly seconds: number;
  readonly usage: Usage;
  readonly costNanoUsd: number | null;
  /** Empty if the call succeeded. */
  readonly errorType: string;
}

export function recordModelCall({ record, count }: Measuring, call: MeasuredModelCall): void {
  const { labels, seconds, usage, costNanoUsd, errorType } = call;
  record('gen_ai.client.operation.duration', seconds, labels.withError(errorType));
  const { uncachedInputTokens: fresh, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  const used = (type: string, tokens: number): void => {
    if (tokens > 0) record('gen_ai.client.token.usage', tokens, labels.withTokens(type));
  };
  const charged = (type: string, tokens: number): void => {
    if (tokens > 0) count('patchbay.model.tokens', tokens, labels.withTokens(type));
  };
  used('input', fresh + cacheReadTokens + cacheWriteTokens);
  used('output', outputTokens);
  charged('input', fresh);
  charged('cache_read', cacheReadTokens);
  charged('cache_write', cacheWriteTokens);
  charged('output', outputTokens);
  if (costNanoUsd !== null && costNanoUsd > 0) count('patchbay.model.cost', costNanoUsd / 1e9, labels.attributes);
}

/** The name of a failure: one of our codes, or `internal_error`. */
export function errorTypeOf(error: unknown): string {
  return PatchbayError.is(error) ? error.code : 'internal_error';
}

/** The labels of the metrics of one model, as the OpenTelemetry conventions name them. */
export interface ModelLabels {
  /** The id of the model, with its provider. */
  readonly id: string;
  readonly attributes: Attributes;
  /** @param errorType Empty if the call succeeded. */
  withError(errorType: string): Attributes;
  withTokens(type: string): Attributes;
}

export type LabelsOf = (operation: ModelOperation, model: string) => ModelLabels;

/** A provider has fewer models; more names than this are not kept. */
const MOST_MODELS = 1_000;

/** The labels of the models of a provider, which are the same for every call. */
export function createModelLabels(provider: string): LabelsOf {
  const known: Readonly<Record<ModelOperation, Map<string, ModelLabels>>> = { chat: new Map(), embeddings: new Map() };
  return (operation, model) => {
    const models = known[operation];
    const found = models.get(model);
    if (found) return found;
    const labels = modelLabels(
      `${provider}/${model}`,
      Object.freeze({
        'gen_ai.operation.name': operation,
        'gen_ai.provider.name': provider,
        'gen_ai.request.model': model,
      }),
    );
    if (models.size < MOST_MODELS) models.set(model, labels);
    return labels;
  };
}

function modelLabels(id: string, attributes: Attributes): ModelLabels {
  return {
    id,
    attributes,
    withError: createLabels('error.type', attributes),
    withTokens: createLabels('gen_ai.token.type', attributes),
  };
}

/** The attributes with one more. It has few values: our own codes, and kinds of tokens. */
function createLabels(name: string, attributes: Attributes): (value: string) => Attributes {
  const known = new Map<string, Attributes>();
  return (value) => {
    const found = known.get(value);
    if (found) return found;
    const labels = Object.freeze({ ...attributes, [name]: value });
    known.set(value, labels);
    return labels;
  };
}
