import type { Clock } from '../contracts/clock.ts';
import type { Principal, RequestContext } from '../contracts/context.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { Limits } from '../contracts/limits.ts';
import type { ModelInfo, Usage } from '../contracts/provider.ts';
import type { RateCharge, RateLimiter, RatePolicy } from '../contracts/rate-limiter.ts';
import type { UsageDimensions } from '../contracts/rows.ts';
import type { Attributes } from '../contracts/telemetry.ts';
import { consume, countRefusal, refusalOf } from '../limits/request-limits.ts';
import type { Measuring } from '../telemetry/measuring.ts';
import { errorTypeOf, type ModelOperation, modelAttributes, recordModelCall } from '../telemetry/model-measures.ts';
import type { Budgets } from './budgets.ts';
import { costNanoUsd } from './call-cost.ts';
import { noUsage, type UsageMeter } from './usage-ledger.ts';

/** The most that a call may cost, set aside before it is made. */
export interface CallEstimate {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Null where no price is known. */
  readonly costNanoUsd: number | null;
}

/** Money and tokens that are set aside for a call. */
export interface Reservation {
  /** The call has ended and used so many tokens. Only the first call counts. */
  settle(tokens: number): void;
}

export interface Metering {
  readonly meter: UsageMeter;
  readonly clock: Clock;
  /** @throws PatchbayError `quota_exceeded`, `rate_limited`. */
  readonly reserve: (context: RequestContext, estimate: CallEstimate) => Promise<Reservation>;
  readonly measuring: Measuring;
  /** Facts about a model of this provider. */
  readonly infoOf: (model: string) => ModelInfo | undefined;
}

/** One call of a model, which is reserved and not yet written down. Only its first end counts. */
export interface OpenCall {
  readonly attributes: Attributes;
  end(outcome: UsageDimensions['outcome'], usage: Usage, error?: unknown): void;
  failed(error: unknown, used?: Usage): void;
  /** Its caller no longer waits for it. */
  cut(used: Usage): void;
  firstChunk(): void;
}

/**
 * Reserve a call before it is made.
 *
 * @throws PatchbayError as `reserve` does.
 */
export async function openCall(
  { meter, clock, reserve, infoOf, measuring }: Metering,
  { name, model, operation }: { readonly name: string; readonly model: string; readonly operation: ModelOperation },
  context: RequestContext,
  tokens: Omit<CallEstimate, 'costNanoUsd'>,
): Promise<OpenCall> {
  const pricing = infoOf(model)?.pricing;
  await meter.ready();
  const estimate = costNanoUsd(pricing, { ...noUsage, ...tokens, uncachedInputTokens: tokens.inputTokens });
  const reservation = await reserve(context, { ...tokens, costNanoUsd: estimate }).catch((error: unknown) => {
    countRefusal(error, measuring.count);
    throw error;
  });
  const attributes = modelAttributes(operation, name, model);
  const startedAt = clock.monotonic();
  let over = false;
  let hasBegun = false;
  const end: OpenCall['end'] = (outcome, usage, error) => {
    if (over) return;
    over = true;
    const durationMs = clock.monotonic() - startedAt;
    const cost = costNanoUsd(pricing, usage);
    const errorType = outcome === 'completed' ? '' : outcome === 'cancelled' ? 'cancelled' : errorTypeOf(error);
    recordModelCall(measuring, { attributes, seconds: durationMs / 1_000, usage, costNanoUsd: cost, errorType });
    // Recorded first: what was spent is never neither reserved nor counted.
    meter.record(context, {
      kind: 'model',
      functionId: context.execution?.functionId ?? '',
      model: `${name}/${model}`,
      outcome,
      usage,
      costNanoUsd: cost,
      durationMs,
    });
    reservation.settle(totalTokens(usage));
  };
  const { signal } = context;
  return {
    attributes,
    end,
    failed: (error, used = noUsage) => end(signal.aborted && !isTimeUp(signal) ? 'cancelled' : 'failed', used, error),
    // The caller did not want the rest, or the time was up.
    cut: (used) => end(isTimeUp(signal) ? 'failed' : 'cancelled', used, signal.reason),
    firstChunk() {
      if (hasBegun) return;
      hasBegun = true;
      const seconds = (clock.monotonic() - startedAt) / 1_000;
      measuring.record('gen_ai.client.operation.time_to_first_chunk', seconds, attributes);
    },
  };
}

/** Aborted because the time was up that models have, and not by the caller. */
function isTimeUp({ reason }: AbortSignal): boolean {
  return PatchbayError.is(reason) && reason.upstream?.kind === 'timeout';
}

function totalTokens(usage: Usage): number {
  return usage.uncachedInputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens;
}

/** Output that is reserved at most: most answers are far shorter than what they may be. */
const MOST_OUTPUT_TOKENS = 4_096;

interface ReservationDependencies {
  readonly limiter: RateLimiter;
  readonly limits: Limits;
  readonly budgets: Budgets;
}

/** Sets aside money and tokens before a model is called, and corrects the reservation afterwards. */
export function createReservations({ limiter, limits, budgets }: ReservationDependencies) {
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

  return async ({ caller, logger }: RequestContext, estimate: CallEstimate): Promise<Reservation> => {
    const { inputTokens, outputTokens, costNanoUsd } = estimate;
    const giveBack = await budgets.reserve(caller, costNanoUsd);
    if (!isLimited) return { settle: giveBack };
    const charges = chargesOf(caller, inputTokens + Math.min(outputTokens, MOST_OUTPUT_TOKENS));
    try {
      const refusal = refusalOf(await consume(limiter, charges), 'there were too many tokens within a minute');
      if (refusal) throw refusal;
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
