import type { ModelInfo, Usage } from '../contracts/provider.ts';

/** Dollars per 1,000,000 tokens, times this, are billionths of a dollar per token. */
const NANO_PER_TOKEN = 1_000;

type Tokens = Pick<Usage, 'uncachedInputTokens' | 'cacheReadTokens' | 'cacheWriteTokens' | 'outputTokens'>;

/**
 * What tokens cost, in whole billionths of a US dollar, so that sums are exact. Cached tokens are counted at the price of
 * others, because list prices do not tell them apart: the true price is often lower. Null where no price is known. No more than
 * can be counted exactly, whatever price somebody has written down.
 */
export function costNanoUsd(pricing: ModelInfo['pricing'], tokens: Tokens): number | null {
  if (pricing === undefined) return null;
  const input = tokens.uncachedInputTokens + tokens.cacheReadTokens + tokens.cacheWriteTokens;
  const cost = Math.round((input * pricing.input + tokens.outputTokens * pricing.output) * NANO_PER_TOKEN);
  return Math.min(cost, Number.MAX_SAFE_INTEGER);
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
