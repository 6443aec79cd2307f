import type { ModelCapability, ModelInfo } from '../contracts/provider.ts';
import { providerError } from '../contracts/provider-error.ts';

/**
 * The model of that name, which can do that.
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
  throw providerError('unsupported', `${provider}/${name} is no model for ${capability}`);
}
