import type { ChatResult, EmbedResult, ModelInfo, Usage } from '../contracts/provider.ts';
import { providerError } from '../contracts/provider-error.ts';

/** Dollars per 1,000,000 tokens, times this, are billionths of a dollar per token. */
const NANO_PER_TOKEN = 1_000;

type Tokens = Pick<Usage, 'uncachedInputTokens' | 'cacheReadTokens' | 'cacheWriteTokens' | 'outputTokens'>;

/**
 * The cost of tokens in whole billionths of a US dollar, so that sums are exact. Cached tokens without a price of their own
 * cost what other input does. Null where no price is known. Never more than can be counted exactly, whatever the price.
 */
export function costNanoUsd(pricing: ModelInfo['pricing'], tokens: Tokens): number | null {
  if (pricing === undefined) return null;
  const { input, output, cacheRead = input, cacheWrite = input } = pricing;
  const cost =
    tokens.uncachedInputTokens * input +
    tokens.cacheReadTokens * cacheRead +
    tokens.cacheWriteTokens * cacheWrite +
    tokens.outputTokens * output;
  return Math.min(Math.round(cost * NANO_PER_TOKEN), Number.MAX_SAFE_INTEGER);
}

/**
 * Billionths of a dollar as a decimal with nine places, without rounding.
 *
 * @example
 * ```ts
 * import { decimalUsd } from '@patchbay/core';
 *
 * console.log(decimalUsd(1_250_000_000)); // 1.250000000
 * ```
 */
export function decimalUsd(nano: number): string {
  const whole = BigInt(nano);
  return `${whole / 1_000_000_000n}.${String(whole % 1_000_000_000n).padStart(9, '0')}`;
}

/** Tokens that one call can have. With more, what it costs could be more than a storage can count. */
const MOST_TOKENS = 1_000_000_000;

/**
 * Make sure that the answer of a provider plugin can be passed on. Adapters check the responses of vendors; this checks
 * the adapters, because impossible numbers would end up in a bill.
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
