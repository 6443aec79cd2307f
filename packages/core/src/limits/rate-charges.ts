import type { PolicyOf } from '../access/tenant-policies.ts';
import type { Principal } from '../contracts/context.ts';
import type { CallerLimits, Limits, OperationClass, RateLimit, SwitchableRateLimit } from '../contracts/limits.ts';
import type { RateCharge, RatePolicy } from '../contracts/rate-limiter.ts';

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
