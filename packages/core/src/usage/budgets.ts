import type { Principal, RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { Budget, Limits } from '@patchbay/contracts/limits';
import type { ModelInfo, Usage } from '@patchbay/contracts/provider';
import type { RateCharge, RateLimiter, RatePolicy } from '@patchbay/contracts/rate-limiter';
import type { TenantId } from '@patchbay/contracts/tenant';
import type { PolicyOf } from '../access/callers.ts';
import { consume, refusalOf } from '../limits/request-limits.ts';
import { type Account, type AccountDependencies, Accounts } from './accounts.ts';
import type { RecordedUsage } from './usage-ledger.ts';

interface BudgetDependencies extends AccountDependencies {
  /** Those in force. */
  readonly limits: () => Limits;
  readonly policyOf: PolicyOf;
}

type Release = () => void;

/** For a call that counts in no budget. */
const nothingReserved: Release = () => {};

/** Enforces the budgets of callers for models. */
export interface Budgets {
  /**
   * Reserve the maximum cost of a call in every budget that it counts in. Calls are accepted while unreserved budget is
   * left, so that all calls together overspend by no more than the last one. A strict budget accepts them if enough is
   * left.
   *
   * @param costNanoUsd Called if there is a budget. Null if the price is unknown.
   * @returns releases the reservation. Record the spending before.
   * @throws PatchbayError `quota_exceeded`; `model_unpriced` if no price is known and a budget would have to count it.
   */
  reserve(caller: Principal, costNanoUsd: () => number | null): Release | Promise<Release>;
  recorded(tenant: TenantId, usage: RecordedUsage): void;
  /** The entry has everything that was recorded with its id. */
  stored(tenant: TenantId, entry: RecordedUsage): void;
}

interface Charged {
  readonly account: Account;
  /** In billionths of a dollar. */
  readonly limit: number;
  readonly period: Budget['period'];
  readonly strict: boolean;
  readonly scope: 'key' | 'tenant';
}

const NANO = 1_000_000_000;

export function createBudgets(dependencies: BudgetDependencies): Budgets {
  const { limits, policyOf, clock } = dependencies;
  const accounts = new Accounts(dependencies);
  /** Whether there ever was a budget: without one, no account is looked up. */
  let isCharging = false;

  const chargedBy = ({ tenant, id, limits: own }: Principal): readonly Charged[] => {
    const charged: Charged[] = [];
    const add = (scope: Charged['scope'], keyId: string | undefined, budget: Budget | undefined): void => {
      if (!budget) return;
      isCharging = true;
      const { period, usd, strict = false } = budget;
      charged.push({ scope, account: accounts.of({ tenant, keyId }, period), period, strict, limit: usd * NANO });
    };
    const { key, tenant: all } = limits();
    add('key', id, own?.budget ?? key.budget);
    add('tenant', undefined, policyOf(tenant).limits?.budget ?? all.budget);
    return charged;
  };

  const each = (tenant: TenantId, { keyId, createdAt }: RecordedUsage, tell: (account: Account) => void): void => {
    if (!isCharging) return;
    for (const owner of [keyId, undefined]) {
      const account = accounts.find({ tenant, keyId: owner });
      if (account && Date.parse(createdAt) >= account.period.start) tell(account);
    }
  };

  /** All synchronously: nothing else runs between checking and reserving. */
  const reserveIn = (charged: readonly Charged[], reserved: number): Release => {
    for (const each of charged) {
      const { account, limit, strict } = each;
      const untilReset = (account.period.end - clock.now()) / 1_000;
      if (account.spent >= limit) throw refusal(each, untilReset, isUsedUp);
      if (strict && account.spent + account.reserved + reserved > limit) {
        const cost = inWords(decimalUsd(reserved));
        throw refusal(each, account.reserved > 0 ? 1 : untilReset, (...sums) => isTooLittle(cost, ...sums));
      }
      if (account.spent + account.reserved >= limit) throw refusal(each, 1, isReserved);
    }
    for (const { account } of charged) account.reserved += reserved;
    return () => {
      for (const { account } of charged) account.reserved -= reserved;
    };
  };

  return {
    reserve(caller, costNanoUsd) {
      if (limits().off) return nothingReserved;
      const charged = chargedBy(caller);
      if (charged.length === 0) return nothingReserved;
      const nanoUsd = costNanoUsd();
      const isCounted = limits().unpriced === 'refuse' || charged.some(({ strict }) => strict);
      if (nanoUsd === null && isCounted) throw unpriced(charged);
      const reading = charged.flatMap(({ account }) => account.ready() ?? []);
      const reserved = nanoUsd ?? 0;
      return reading.length === 0
        ? reserveIn(charged, reserved)
        : Promise.all(reading).then(() => reserveIn(charged, reserved));
    },
    recorded(tenant, usage) {
      const { id, costNanoUsd } = usage;
      if (costNanoUsd !== null && costNanoUsd > 0) each(tenant, usage, (account) => account.recorded(id, costNanoUsd));
    },
    stored(tenant, entry) {
      each(tenant, entry, (account) => account.stored(entry.id));
    },
  };
}

function unpriced([first]: readonly Charged[]): PatchbayError {
  const detail = `the price of the model is not known, so the budget of this ${first?.scope ?? 'key'} cannot count it`;
  return new PatchbayError('model_unpriced', detail);
}

/** The refusal of a call, with the figures of the budget in words and as a member of the problem document. */
function refusal(charged: Charged, retryAfter: number, reasonOf: (spent: string, reserved: string) => string) {
  const { account, period, scope } = charged;
  const [limit = '', spent = '', reserved = ''] = [charged.limit, account.spent, account.reserved].map((nanoUsd) =>
    decimalUsd(Math.round(nanoUsd)),
  );
  const resetsAt = new Date(account.period.end).toISOString();
  const reason = reasonOf(inWords(spent), inWords(reserved));
  const detail = `the budget of this ${scope}, ${inWords(limit)} USD per ${period}, ${reason}; it resets at ${resetsAt}`;
  const budget = { scope, period, currency: 'USD', limit, spent, reserved, resetsAt };
  return new PatchbayError('quota_exceeded', detail, { retryAfter, extensions: { budget } });
}

const inWords = (decimal: string): string => decimal.replace(/\.?0+$/, '');

const isUsedUp = (spent: string): string => `is used up: ${spent} USD were spent`;

const isReserved = (spent: string, reserved: string): string =>
  `has nothing left: ${spent} USD were spent, and calls in progress reserve ${reserved} USD`;

const isTooLittle = (cost: string, spent: string, reserved: string): string =>
  `has too little left: ${spent} USD were spent, calls in progress reserve ${reserved} USD, and this one may cost ${cost} USD`;

/** Maximum cost of a call, reserved before it. */
export interface CallEstimate {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Null where no price is known. */
  readonly costNanoUsd: number | null;
}

/** Reserved cost and tokens of a call. */
export interface Reservation {
  /** Settle the call with its number of tokens. Only the first call counts. */
  settle(tokens: number): void;
}

/** The most output that is reserved: most responses are far shorter than they may be. */
const MOST_OUTPUT_TOKENS = 4_096;

/**
 * A promise only where it waits.
 *
 * @param estimate Called where something is reserved: with neither budgets nor token limits, it is not needed.
 * @throws PatchbayError `quota_exceeded`, `model_unpriced`, `rate_limited`.
 */
export type Reserve = (context: RequestContext, estimate: () => CallEstimate) => Reservation | Promise<Reservation>;

interface ReservationDependencies {
  readonly limiter: RateLimiter;
  readonly limits: Limits;
  readonly budgets: Budgets;
}

/** Reserves cost and tokens before a model call, and corrects the reservation afterwards. */
export function createReservations({ limiter, limits, budgets }: ReservationDependencies): Reserve {
  const policies = {
    key: tokenPolicy('key-tokens', limits.key.tokensPerMinute),
    tenant: tokenPolicy('tenant-tokens', limits.tenant.tokensPerMinute),
  };
  const isLimited = !limits.off && (policies.key ?? policies.tenant) !== undefined;

  /** A call that needs more than a bucket holds takes all of it; the rest is owed once the call has ended. */
  const chargesOf = ({ tenant, id }: Principal, tokens: number): readonly RateCharge[] => {
    const buckets = [
      [`key-tokens ${tenant} ${id}`, policies.key],
      [`tenant-tokens ${tenant}`, policies.tenant],
    ] as const;
    return buckets.flatMap(([key, policy]) => (policy ? [{ key, policy, cost: Math.min(tokens, policy.burst) }] : []));
  };

  const reserveTokens = async (
    { caller, logger }: RequestContext,
    { inputTokens, outputTokens }: CallEstimate,
    giveBack: Release,
  ): Promise<Reservation> => {
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

  return (context, estimate) => {
    const reserved = (giveBack: Release) =>
      isLimited ? reserveTokens(context, estimate(), giveBack) : { settle: giveBack };
    const reserving = budgets.reserve(context.caller, () => estimate().costNanoUsd);
    return reserving instanceof Promise ? reserving.then(reserved) : reserved(reserving);
  };
}

function tokenPolicy(name: string, perMinute: number | undefined): RatePolicy | undefined {
  return perMinute === undefined ? undefined : { name, requests: perMinute, seconds: 60, burst: perMinute };
}

/** Dollars per 1,000,000 tokens, times this, are billionths of a dollar per token. */
const NANO_PER_TOKEN = 1_000;

type Tokens = Pick<Usage, 'uncachedInputTokens' | 'cacheReadTokens' | 'cacheWriteTokens' | 'outputTokens'>;

/**
 * The cost of tokens in whole billionths of a US dollar, so that sums are exact. Cached tokens without a separate price
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
