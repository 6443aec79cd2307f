import type { PolicyOf } from '../access/tenant-policies.ts';
import type { Principal } from '../contracts/context.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { Limits, OperationClass } from '../contracts/limits.ts';
import type { RateDecision, RateLimiter, RatePolicy } from '../contracts/rate-limiter.ts';
import { type ConcurrencyCaps, createConcurrencyCaps, type ParentSlot, type Slot } from './concurrency-caps.ts';
import { createRateCharges } from './rate-charges.ts';

/** How a caller stands with one of the policies that apply to it. */
export interface RateStanding extends RateDecision {
  readonly policy: RatePolicy;
}

export interface Admission {
  /** One for each policy that applies; none where nothing is limited. */
  readonly standings: readonly RateStanding[];
  /** `rate_limited`, where the request has to wait. */
  readonly refusal?: PatchbayError;
}

/** Limits how often callers may ask. */
export interface RequestLimits {
  /** Count one request of a caller. A request that is refused counts in none of the buckets. */
  admit(caller: Principal, operationClass?: OperationClass): Promise<Admission>;
  /**
   * Take a place among the requests of this kind that are under way, until its `leave` is called.
   *
   * @throws PatchbayError `concurrency_limited`.
   */
  enter(caller: Principal, operationClass: OperationClass): Slot;
  /**
   * Wait for a place, as an execution does for what its code calls. A nested execution gets by with the place of its
   * parent where no other is free.
   *
   * @throws The reason of the signal.
   */
  wait(caller: Principal, operationClass: OperationClass, signal: AbortSignal, parent?: ParentSlot): Promise<Slot>;
}

const unlimited: Admission = { standings: [] };
const unlimitedSlot: Slot = { leave: () => {} };

export interface RequestLimitParts {
  readonly limiter: RateLimiter;
  readonly limits: Limits;
  /** Default: of its own, under these limits. */
  readonly caps?: ConcurrencyCaps;
  readonly policyOf: PolicyOf;
}

export function createRequestLimits({
  limiter,
  limits,
  policyOf,
  caps = createConcurrencyCaps(() => limits),
}: RequestLimitParts): RequestLimits {
  const chargesOf = createRateCharges(limits, policyOf);
  return {
    async admit(caller, operationClass) {
      if (limits.off) return unlimited;
      const charges = chargesOf(caller, operationClass);
      if (charges.length === 0) return unlimited;
      const decisions = await limiter.consume(charges);
      const standings = charges.map(({ policy }, index) => ({ ...(decisions[index] as RateDecision), policy }));
      const refusal = refusalOf(standings);
      return refusal ? { standings, refusal } : { standings };
    },
    enter: (caller, operationClass) => (limits.off ? unlimitedSlot : caps.enter(caller, operationClass)),
    async wait(caller, operationClass, signal, parent) {
      return limits.off ? unlimitedSlot : await caps.wait(caller, operationClass, signal, parent);
    },
  };
}

function refusalOf(standings: readonly RateStanding[]): PatchbayError | undefined {
  let retryAfter = 0;
  const violated: string[] = [];
  for (const { allowed, policy, retryAfterSeconds } of standings) {
    if (allowed) continue;
    violated.push(policy.name);
    retryAfter = Math.max(retryAfter, retryAfterSeconds);
  }
  if (violated.length === 0) return undefined;
  return new PatchbayError('rate_limited', 'there were too many requests; wait as long as Retry-After says', {
    retryAfter,
    extensions: { 'violated-policies': violated },
  });
}
