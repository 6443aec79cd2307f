import type { ContentPart, Message } from '@patchbay/contracts/message';
import { type ChatRequest, type ModelCapability, type ModelInfo, samplingNames } from '@patchbay/contracts/provider';
import { providerError } from '@patchbay/contracts/provider-error';

/**
 * The model with this name, which has the capability.
 *
 * @param provider Name of the provider, for the message.
 *
 * @example
 * ```ts
 * import { findModel, type ModelInfo } from '@patchbay/core/provider';
 *
 * const models = new Map<string, ModelInfo>([['large', { name: 'large', capabilities: ['chat'] }]]);
 * console.log(findModel('acme', models, 'large', 'chat').name); // large
 * ```
 */
export function findModel(
  provider: string,
  models: ReadonlyMap<string, ModelInfo>,
  name: string,
  capability: ModelCapability,
): ModelInfo {
  const model = models.get(name);
  if (!model) throw providerError('model_gone', `${provider} has no model ${name}`);
  if (model.capabilities.includes(capability)) return model;
  throw providerError('unsupported', `${provider}/${name} does not support ${capability}`);
}

/**
 * Refuses a request that the model is known not to serve, before anything is sent.
 *
 * @param provider Name of the provider, for the message.
 * @throws PatchbayError `unsupported_parameter`
 *
 * @example
 * ```ts
 * import { assertSupported, type ChatRequest, type ModelInfo } from '@patchbay/core/provider';
 *
 * const model: ModelInfo = { name: 'large', capabilities: ['chat'], unsupported: ['topP'] };
 * export const check = (request: ChatRequest) => assertSupported('acme', model, request);
 * ```
 */
export function assertSupported(provider: string, model: ModelInfo, request: ChatRequest): void {
  const refuse = (what: string) => providerError('unsupported', `${provider}/${model.name} does not support ${what}`);
  const without = (capability: ModelCapability) => !model.capabilities.includes(capability);
  for (const name of samplingNames) {
    if (request[name] !== undefined && model.unsupported?.includes(name)) throw refuse(name);
  }
  const { temperature, maxTokens } = request;
  if (temperature !== undefined && temperature > (model.maxTemperature ?? 2)) {
    throw refuse(`a temperature above ${model.maxTemperature ?? 2}`);
  }
  if (maxTokens !== undefined && maxTokens > (model.maxTokens ?? Number.POSITIVE_INFINITY)) {
    throw refuse(`maxTokens above ${model.maxTokens}`);
  }
  if (usesTools(request) && without('tools')) throw refuse('tools');
  if (request.responseSchema && without('structured-output')) throw refuse('a response schema');
  if (without('vision') && request.messages.some(hasPart('image'))) throw refuse('images');
  if (without('audio') && request.messages.some(hasPart('audio'))) throw refuse('audio');
  if (without('files') && request.messages.some(hasPart('file'))) throw refuse('files');
}

/** Whether a request has tools, or a conversation in which some were called. */
export const usesTools = ({ tools = [], messages }: Pick<ChatRequest, 'tools' | 'messages'>): boolean =>
  tools.length > 0 || messages.some(({ role }) => role === 'tool') || messages.some(hasPart('tool-call'));

/** Whether a message has a part of that kind. */
export const hasPart =
  (kind: ContentPart['type']) =>
  ({ content }: Message): boolean =>
    typeof content !== 'string' && content.some(({ type }) => type === kind);
