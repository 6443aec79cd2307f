import type { ChatResult, EmbedResult, ModelInfo, Usage } from '../contracts/provider.ts';
import { providerError } from '../contracts/provider-error.ts';

/** Tokens that one call can have. With more, what it costs could be more than a storage can count. */
const MOST_TOKENS = 1_000_000_000;

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
  for (const count of counts) checkTokens(count, provider);
}

export function checkTokens(count: number, provider: string): void {
  if (Number.isInteger(count) && count >= 0 && count <= MOST_TOKENS) return;
  throw unusable(provider, 'impossible usage');
}

export function checkEmbedding(result: EmbedResult, info: ModelInfo, provider: string): EmbedResult {
  const { embedding, tokens } = result;
  if (embedding.length === 0 || !embedding.every(Number.isFinite)) throw unusable(provider, 'an unusable vector');
  if (info.dimensions !== undefined && embedding.length !== info.dimensions) {
    throw unusable(provider, `a vector of ${embedding.length} dimensions instead of ${info.dimensions}`);
  }
  checkTokens(tokens, provider);
  return result;
}

const unusable = (provider: string, what: string) => providerError('bad_response', `${provider} sent ${what}`);
