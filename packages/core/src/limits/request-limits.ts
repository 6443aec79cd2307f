import type { PolicyOf } from '../access/tenant-policies.ts';
import type { Principal } from '../contracts/context.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { CallerLimits, Limits, OperationClass, RateLimit, SwitchableRateLimit } from '../contracts/limits.ts';
import type { RateCharge, RateDecision, RateLimiter, RatePolicy } from '../contracts/rate-limiter.ts';
import type { Measuring } from '../telemetry/measuring.ts';
import { type ConcurrencyCaps, createConcurrencyCaps, type ParentSlot, type Slot } from './concurrency-caps.ts';

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

/** The buckets that a request of a caller is taken from. */
export type RateCharges = (caller: Principal, operationClass: OperationClass | undefined) => readonly RateCharge[];

/** Policies by what is counted. Undefined: not limited. */
type Policies = Readonly<Record<'all' | OperationClass, RatePolicy | undefined>>;

/** What a key or a tenant has of its own goes before what the config says for all; the limits of classes stay. */
export function createRateCharges(limits: Pick<Limits, 'key' | 'tenant'>, policyOf: PolicyOf): RateCharges {
  const key = policiesOf('key', limits.key);
  const tenant = policiesOf('tenant', limits.tenant);
  const named = new WeakMap<RateLimit, RatePolicy>();

  /** The same object each time, so that what is derived from a policy can be kept. */
  const own = (name: string, limit: RateLimit | undefined): RatePolicy | undefined => {
    if (limit === undefined) return undefined;
    const known = named.get(limit);
    if (known) return known;
    const policy = { ...limit, name };
    named.set(limit, policy);
    return policy;
  };

  return (caller, operationClass) => {
    // The id of a caller comes last: it is the one part in which a space can be.
    const { tenant: of, id } = caller;
    const charges: RateCharge[] = [];
    const charge = (bucket: string, policy: RatePolicy | undefined): void => {
      if (policy) charges.push({ key: bucket, cost: 1, policy });
    };
    charge(`key ${of} ${id}`, own('key', caller.limits?.rateLimit) ?? key.all);
    charge(`tenant ${of}`, own('tenant', policyOf(of).limits?.rateLimit) ?? tenant.all);
    if (operationClass === undefined) return charges;
    charge(`key-${operationClass} ${of} ${id}`, key[operationClass]);
    charge(`tenant-${operationClass} ${of}`, tenant[operationClass]);
    return charges;
  };
}

function policiesOf(scope: 'key' | 'tenant', { all, execute, model }: CallerLimits): Policies {
  return {
    all: namedPolicy(scope, all),
    execute: namedPolicy(`${scope}-execute`, execute),
    model: namedPolicy(`${scope}-model`, model),
  };
}

/** The policy of a limit; undefined where it is off. */
export function namedPolicy(name: string, { off, ...limit }: SwitchableRateLimit): RatePolicy | undefined {
  return off ? undefined : { name, ...limit };
}

/** Limits, each refusal of which is counted. */
export function measuredLimits(limits: RequestLimits, { count }: Pick<Measuring, 'count'>): RequestLimits {
  return {
    async admit(caller, operationClass) {
      const admission = await limits.admit(caller, operationClass);
      if (admission.refusal) countRefusal(admission.refusal, count);
      return admission;
    },
    enter(caller, operationClass) {
      try {
        return limits.enter(caller, operationClass);
      } catch (error) {
        countRefusal(error, count);
        throw error;
      }
    },
    wait: (caller, operationClass, signal, parent) => limits.wait(caller, operationClass, signal, parent),
  };
}

/** Count what was refused because of a limit of ours; nothing for other failures. */
export function countRefusal(error: unknown, count: Measuring['count']): void {
  if (!PatchbayError.is(error)) return;
  const { code, extensions } = error;
  const violated = extensions['violated-policies'];
  const policies = Array.isArray(violated) && violated.length > 0 ? violated.map(String) : [''];
  for (const policy of policies) count('patchbay.limit.refusals', 1, { code, policy });
}
