import type { JsonFields } from '@patchbay/core/provider';

/** Fast mode costs so many times the list price. platform.claude.com/docs/en/build-with-claude/fast-mode, 2026-11. */
const FAST = 2;

/** Processing within the United States alone costs a tenth more. platform.claude.com/docs/en/about-claude/pricing */
const WITHIN_US = 1.1;

/** The multiple of the list price that a request, or the usage of a response, implies. */
export function priceFactor({ speed, inference_geo: place }: JsonFields): number {
  return (speed === 'fast' ? FAST : 1) * (place === 'us' ? WITHIN_US : 1);
}
