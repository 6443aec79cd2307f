import type { ModelCapability } from './provider.ts';
import type { Optimize } from './router.ts';

/** How a model is to be chosen. */
export interface RoutingOptions {
  /** What the model must be able to do, beyond what the request needs anyway. */
  readonly capabilities?: readonly ModelCapability[];
  /** Default `balanced`. */
  readonly optimize?: Optimize;
  /** USD that 1,000,000 tokens may cost, those of the question and those of the answer alike. Models without a known price are out. */
  readonly maxPrice?: number;
  /** Names of providers. */
  readonly providers?: { readonly allow?: readonly string[]; readonly deny?: readonly string[] };
  /** Models to try, in this order, when the first fails: at most 3. */
  readonly fallbacks?: readonly string[];
}
