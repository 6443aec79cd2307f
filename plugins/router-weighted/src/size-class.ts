import type { ModelInfo } from '@patchbay/core/provider';

/** Latency to expect of a model that was not called yet. */
export interface LatencyPrior {
  readonly firstTokenMs: number;
  readonly msPerToken: number;
}

const small: LatencyPrior = { firstTokenMs: 300, msPerToken: 10 };
const large: LatencyPrior = { firstTokenMs: 500, msPerToken: 20 };

/** USD per 1,000,000 tokens of output. */
const SMALL_UP_TO_PRICE = 2;

const smallName = /(?:^|[^a-z])(?:mini|nano|tiny|small|lite|flash|haiku|[1-9]b)(?:[^a-z]|$)/i;

/** By price, where it is known and not zero; else by what vendors call their small models; else large. */
export function latencyPrior({ name, pricing }: ModelInfo): LatencyPrior {
  const isSmall = pricing && pricing.output > 0 ? pricing.output <= SMALL_UP_TO_PRICE : smallName.test(name);
  return isSmall ? small : large;
}
