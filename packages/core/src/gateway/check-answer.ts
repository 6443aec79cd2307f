import type { ChatResult, EmbedResult, ModelInfo, Usage } from '../contracts/provider.ts';
import { providerError } from '../contracts/provider-error.ts';

/**
 * Make sure that what a provider plugin returns can be passed on. Adapters check what vendors send; this checks the
 * adapters, because an answer with impossible numbers would end in somebody's bill.
 */
export function checkChatResult(result: ChatResult, provider: string): ChatResult {
  if (typeof result.content !== 'string') throw unusable(provider, 'an answer without text');
  checkUsage(result.usage, provider);
  return result;
}

export function checkUsage(usage: Usage, provider: string): void {
  const { uncachedInputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens } = usage;
  const counts = [uncachedInputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens];
  if (!counts.every((count) => Number.isSafeInteger(count) && count >= 0)) throw unusable(provider, 'impossible usage');
}

export function checkEmbedding(result: EmbedResult, info: ModelInfo, provider: string): EmbedResult {
  const { embedding, tokens } = result;
  if (embedding.length === 0 || !embedding.every(Number.isFinite)) throw unusable(provider, 'an unusable vector');
  if (info.dimensions !== undefined && embedding.length !== info.dimensions) {
    throw unusable(provider, `a vector of ${embedding.length} dimensions instead of ${info.dimensions}`);
  }
  if (!Number.isSafeInteger(tokens) || tokens < 0) throw unusable(provider, 'impossible usage');
  return result;
}

const unusable = (provider: string, what: string) => providerError('bad_response', `${provider} sent ${what}`);
