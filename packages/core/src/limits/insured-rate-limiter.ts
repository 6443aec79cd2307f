import { withTimeout } from '@patchbay/contracts/base/signals';
import type { Clock } from '@patchbay/contracts/clock';
import type { Logger } from '@patchbay/contracts/context';
import type { Health } from '@patchbay/contracts/lifecycle';
import type { RateCharge, RateLimiter } from '@patchbay/contracts/rate-limiter';

/** A caller waits no longer than this for a remote limiter. */
const PATIENCE_MS = 80;

/** Pause before a limiter that failed is called again. */
const COOL_DOWN_MS = 1_000;

interface InsuranceDependencies {
  readonly primary: RateLimiter;
  /** Counts meanwhile: in this process, so it cannot fail. */
  readonly standIn: RateLimiter;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly logger: Logger;
  /** Called for each charge that the fallback decided. */
  readonly onStandIn?: () => void;
}

/** A rate limiter that always responds, and quickly. */
export interface InsuredRateLimiter extends RateLimiter {
  health(): Promise<Health>;
}

/**
 * Put an in-process limiter behind one that can fail or hang. A failure is no reason to let everyone through, nor to
 * reject everyone: the stand-in counts, for this process alone and from full buckets, until the other one is back.
 */
export function insureRateLimiter({
  primary,
  standIn,
  clock,
  logger,
  onStandIn,
}: InsuranceDependencies): InsuredRateLimiter {
  let restingUntil = Number.NEGATIVE_INFINITY;
  let failed = false;

  const ask = async <T>(call: (limiter: RateLimiter) => Promise<T>): Promise<T> => {
    if (clock.monotonic() < restingUntil) return await instead(call);
    // One request finds out whether it is back; the others do not wait for that.
    if (failed) rest();
    try {
      const answer = await withTimeout(call(primary), PATIENCE_MS);
      if (failed) logger.info('the rate limiter responds again');
      failed = false;
      restingUntil = Number.NEGATIVE_INFINITY;
      return answer;
    } catch (error) {
      if (!failed) logger.warn('the rate limiter does not respond; this process counts on its own', { error });
      failed = true;
      rest();
      return await instead(call);
    }
  };

  const instead = async <T>(call: (limiter: RateLimiter) => Promise<T>): Promise<T> => {
    onStandIn?.();
    return await call(standIn);
  };

  const rest = (): void => {
    restingUntil = clock.monotonic() + COOL_DOWN_MS;
  };

  return {
    consume: (charges) => ask((limiter) => limiter.consume(charges)),
    adjust: (charges: readonly RateCharge[]) => ask((limiter) => limiter.adjust(charges)),
    async health() {
      if (!failed) return { status: 'pass' };
      return { status: 'warn', detail: 'the rate limiter does not respond; this process counts on its own' };
    },
  };
}
