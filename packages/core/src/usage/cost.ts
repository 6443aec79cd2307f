import type { ModelInfo, Usage } from '../contracts/provider.ts';

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
