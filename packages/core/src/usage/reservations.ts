import type { Principal, RequestContext } from '../contracts/context.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { Limits } from '../contracts/limits.ts';
import type { RateCharge, RateLimiter, RatePolicy } from '../contracts/rate-limiter.ts';
import type { Budgets } from './budgets.ts';
import type { CallEstimate, Reservation } from './metered-call.ts';

/** Output that is reserved at most: most answers are far shorter than what they may be. */
const MOST_OUTPUT_TOKENS = 4_096;

export interface ReservationParts {
  readonly limiter: RateLimiter;
  readonly limits: Limits;
  readonly budgets: Budgets;
}

/** Sets aside money and tokens before a model is called, and puts right afterwards what was set aside. */
export function createReservations({ limiter, limits, budgets }: ReservationParts) {
  const policies = {
    key: tokenPolicy('key-tokens', limits.key.tokensPerMinute),
    tenant: tokenPolicy('tenant-tokens', limits.tenant.tokensPerMinute),
  };
  const isLimited = !limits.off && (policies.key ?? policies.tenant) !== undefined;

  /** A call that needs more than a bucket holds takes all of it; what is missing is owed once the call has ended. */
  const chargesOf = ({ tenant, id }: Principal, tokens: number): readonly RateCharge[] => {
    const buckets = [
      [`key-tokens ${tenant} ${id}`, policies.key],
      [`tenant-tokens ${tenant}`, policies.tenant],
    ] as const;
    return buckets.flatMap(([key, policy]) => (policy ? [{ key, policy, cost: Math.min(tokens, policy.burst) }] : []));
  };

  const take = async (charges: readonly RateCharge[]): Promise<void> => {
    const decisions = await limiter.consume(charges);
    const refused = decisions.flatMap((decision, index) =>
      decision.allowed ? [] : [{ decision, charge: charges[index] }],
    );
    if (refused.length === 0) return;
    throw new PatchbayError('rate_limited', 'there were too many tokens within a minute', {
      retryAfter: Math.max(...refused.map(({ decision }) => decision.retryAfterSeconds)),
      extensions: { 'violated-policies': refused.flatMap(({ charge }) => (charge ? [charge.policy.name] : [])) },
    });
  };

  return async ({ caller, logger }: RequestContext, estimate: CallEstimate): Promise<Reservation> => {
    const { inputTokens, outputTokens, costNanoUsd } = estimate;
    const giveBack = await budgets.reserve(caller, costNanoUsd);
    if (!isLimited) return { settle: giveBack };
    const charges = chargesOf(caller, inputTokens + Math.min(outputTokens, MOST_OUTPUT_TOKENS));
    try {
      await take(charges);
    } catch (error) {
      giveBack();
      throw error;
    }
    return {
      settle(tokens) {
        giveBack();
        const corrections = charges
          .map((charge) => ({ ...charge, cost: tokens - charge.cost }))
          .filter(({ cost }) => cost !== 0);
        if (corrections.length === 0) return;
        limiter.adjust(corrections).catch((error: unknown) => logger.warn('tokens could not be settled', { error }));
      },
    };
  };
}

function tokenPolicy(name: string, perMinute: number | undefined): RatePolicy | undefined {
  return perMinute === undefined ? undefined : { name, requests: perMinute, seconds: 60, burst: perMinute };
}
