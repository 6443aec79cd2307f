import type { Principal } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { CallerLimits, Limits, OperationClass, RateLimit, SwitchableRateLimit } from '@patchbay/contracts/limits';
import type { RateCharge, RateDecision, RateLimiter, RatePolicy } from '@patchbay/contracts/rate-limiter';
import type { TenantId } from '@patchbay/contracts/tenant';
import type { PolicyOf } from '../access/callers.ts';
import type { Measuring } from '../telemetry/measuring.ts';

/** The state of a caller under one of the policies that apply to it. */
export interface RateStanding extends RateDecision {
  readonly policy: RatePolicy;
}

export interface Admission {
  /** One for each policy that applies; none if nothing is limited. */
  readonly standings: readonly RateStanding[];
  /** `rate_limited`, if the request has to wait. */
  readonly refusal?: PatchbayError;
}

/** Limits how often callers may send requests, and how many long ones at the same time. */
export interface RequestLimits extends ConcurrencyCaps {
  /** The body of a request, before it is read. */
  openBody(): BodyShare;
  /** Count one request of a caller. A rejected request counts in none of the buckets. */
  admit(caller: Principal, operationClass?: OperationClass): Promise<Admission>;
  /** Count a request that was already admitted as one of another class as well. */
  admitAlso(caller: Principal, operationClass: OperationClass): Promise<Admission>;
}

export interface RequestLimitDependencies {
  readonly limiter: RateLimiter;
  readonly limits: Limits;
  readonly caps: ConcurrencyCaps;
  readonly bodies: BodyMemory;
  readonly policyOf: PolicyOf;
  readonly measuring: Pick<Measuring, 'count'>;
}

export function createRequestLimits(dependencies: RequestLimitDependencies): RequestLimits {
  const { limiter, limits, caps, bodies, policyOf, measuring } = dependencies;
  const chargesOf = createRateCharges(limits, policyOf);
  const charge = async (charges: readonly RateCharge[]): Promise<Admission> => {
    if (charges.length === 0) return unlimited;
    const standings = standingsOf(charges, await limiter.consume(charges));
    const refusal = refusalOf(standings, 'there were too many requests; wait as long as Retry-After says');
    if (!refusal) return { standings };
    countRefusal(refusal, measuring.count);
    return { standings, refusal };
  };
  return {
    admit(caller, operationClass) {
      if (limits.off) return Promise.resolve(unlimited);
      return charge(chargesOf.request(caller, operationClass));
    },
    admitAlso(caller, operationClass) {
      return limits.off ? Promise.resolve(unlimited) : charge(chargesOf.class(caller, operationClass));
    },
    enter(caller, operationClass) {
      try {
        return caps.enter(caller, operationClass);
      } catch (error) {
        countRefusal(error, measuring.count);
        throw error;
      }
    },
    openBody() {
      const share = bodies.open();
      return {
        take(bytes) {
          try {
            share.take(bytes);
          } catch (error) {
            countRefusal(error, measuring.count);
            throw error;
          }
        },
        leave: () => share.leave(),
      };
    },
    wait: (caller, operationClass, signal, parent) => caps.wait(caller, operationClass, signal, parent),
  };
}

const unlimited: Admission = { standings: [] };

/** Charge all or nothing. */
export async function consume(limiter: RateLimiter, charges: readonly RateCharge[]): Promise<readonly RateStanding[]> {
  return standingsOf(charges, await limiter.consume(charges));
}

function standingsOf(charges: readonly RateCharge[], decisions: readonly RateDecision[]): readonly RateStanding[] {
  return charges.map(({ policy }, index) => ({ ...(decisions[index] as RateDecision), policy }));
}

/** The error for charges that were not all allowed. */
export function refusalOf(standings: readonly RateStanding[], detail: string): PatchbayError | undefined {
  const violated = standings.filter(({ allowed }) => !allowed);
  if (violated.length === 0) return undefined;
  return new PatchbayError('rate_limited', detail, {
    retryAfter: Math.max(...violated.map(({ retryAfterSeconds }) => retryAfterSeconds)),
    extensions: { 'violated-policies': violated.map(({ policy }) => policy.name) },
  });
}

/** Count a request that one of our limits refused; nothing for other failures. */
export function countRefusal(error: unknown, count: Measuring['count']): void {
  if (!PatchbayError.is(error)) return;
  const { code, extensions } = error;
  const violated = extensions['violated-policies'];
  const policies = Array.isArray(violated) && violated.length > 0 ? violated.map(String) : [''];
  for (const policy of policies) count('patchbay.limit.refusals', 1, { code, policy });
}

/** The buckets that a request of a caller is taken from. */
interface RateCharges {
  /** Those of all requests, and of the class. */
  request(caller: Principal, operationClass: OperationClass | undefined): readonly RateCharge[];
  class(caller: Principal, operationClass: OperationClass): readonly RateCharge[];
}

/** Policies by what is counted. Undefined: not limited. */
type Policies = Readonly<Record<'all' | OperationClass, RatePolicy | undefined>>;

/** Limits of a single key or tenant replace those of the config for all requests; the limits of classes stay. */
function createRateCharges(limits: Pick<Limits, 'key' | 'tenant'>, policyOf: PolicyOf): RateCharges {
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

  const charged = (bucket: string, policy: RatePolicy | undefined): readonly RateCharge[] =>
    policy ? [{ key: bucket, cost: 1, policy }] : [];

  // The id of a caller comes last: it is the only part that can contain a space.
  const ofAll = ({ tenant: of, id, limits: given }: Principal): readonly RateCharge[] => [
    ...charged(`key ${of} ${id}`, own('key', given?.rateLimit) ?? key.all),
    ...charged(`tenant ${of}`, own('tenant', policyOf(of).limits?.rateLimit) ?? tenant.all),
  ];
  const ofClass = ({ tenant: of, id }: Principal, operationClass: OperationClass): readonly RateCharge[] => [
    ...charged(`key-${operationClass} ${of} ${id}`, key[operationClass]),
    ...charged(`tenant-${operationClass} ${of}`, tenant[operationClass]),
  ];

  /** Authenticators return one object for many requests of a key, whose buckets are always the same. */
  const remembered = new WeakMap<Principal, Map<OperationClass | undefined, readonly RateCharge[]>>();

  return {
    request(caller, operationClass) {
      const known = remembered.get(caller) ?? new Map<OperationClass | undefined, readonly RateCharge[]>();
      const found = known.get(operationClass);
      if (found) return found;
      const charges = operationClass ? [...ofAll(caller), ...ofClass(caller, operationClass)] : ofAll(caller);
      remembered.set(caller, known.set(operationClass, charges));
      return charges;
    },
    class: ofClass,
  };
}

function policiesOf(scope: 'key' | 'tenant', { all, execute, model }: CallerLimits): Policies {
  return {
    all: namedPolicy(scope, all),
    execute: namedPolicy(`${scope}-execute`, execute),
    model: namedPolicy(`${scope}-model`, model),
  };
}

/** The policy of a limit; undefined if it is disabled. */
export function namedPolicy(name: string, { off, ...limit }: SwitchableRateLimit): RatePolicy | undefined {
  return off ? undefined : { name, ...limit };
}

/** A concurrency slot of a caller. */
export interface Slot {
  /** Only the first call counts. */
  leave(): void;
}

/**
 * The slot of an execution, for what it calls: an execution that waits for a nested one lends it its slot, so that
 * nested executions make progress however many slots are taken. One at a time.
 */
export interface ParentSlot {
  isLent: boolean;
}

/** Limits the concurrent long requests of a caller. Counted in this process. */
export interface ConcurrencyCaps {
  /** @throws PatchbayError `concurrency_limited`. */
  enter(caller: Principal, operationClass: OperationClass): Slot;
  /**
   * Wait for a slot: a free one, or that of the parent. Waiting callers of one tenant get theirs in order of arrival,
   * before new ones.
   *
   * @throws The reason of the signal.
   */
  wait(caller: Principal, operationClass: OperationClass, signal: AbortSignal, parent?: ParentSlot): Promise<Slot>;
}

interface Counter {
  readonly scope: 'key' | 'tenant';
  readonly name: string;
  readonly most: number;
}

interface Waiter {
  readonly take: () => Slot | undefined;
  readonly settle: (slot: Slot) => void;
}

export function createConcurrencyCaps(limits: () => Pick<Limits, 'off' | 'key' | 'tenant'>): ConcurrencyCaps {
  const underWay = new Map<string, number>();
  const waiters = new Map<string, Set<Waiter>>();

  const change = (name: string, by: 1 | -1): void => {
    const count = (underWay.get(name) ?? 0) + by;
    if (count === 0) underWay.delete(name);
    else underWay.set(name, count);
  };

  const countersOf = ({ tenant, id }: Principal, operationClass: OperationClass): readonly Counter[] => [
    { scope: 'key', name: `key ${operationClass} ${tenant} ${id}`, most: limits().key.concurrent[operationClass] },
    { scope: 'tenant', name: lineOf(tenant, operationClass), most: limits().tenant.concurrent[operationClass] },
  ];
  const fullOf = (counters: readonly Counter[]): Counter | undefined =>
    counters.find(({ name, most }) => (underWay.get(name) ?? 0) >= most);

  /** A slot whose release serves the tenant's waiting callers. */
  const slotOf = (line: string, free: () => void): Slot => {
    let left = false;
    return {
      leave() {
        if (left) return;
        left = true;
        free();
        for (const waiter of waiters.get(line) ?? []) {
          const slot = waiter.take();
          if (slot !== undefined) waiter.settle(slot);
        }
      },
    };
  };

  const count = (line: string, counters: readonly Counter[]): Slot => {
    for (const { name } of counters) change(name, 1);
    return slotOf(line, () => {
      for (const { name } of counters) change(name, -1);
    });
  };
  const borrow = (line: string, parent: ParentSlot): Slot => {
    parent.isLent = true;
    return slotOf(line, () => {
      parent.isLent = false;
    });
  };

  return {
    enter(caller, operationClass) {
      if (limits().off) return unlimitedSlot;
      const counters = countersOf(caller, operationClass);
      const full = fullOf(counters);
      if (full !== undefined) throw tooMany(full);
      return count(lineOf(caller.tenant, operationClass), counters);
    },
    async wait(caller, operationClass, signal, parent) {
      if (limits().off) return unlimitedSlot;
      signal.throwIfAborted();
      const line = lineOf(caller.tenant, operationClass);
      const counters = countersOf(caller, operationClass);
      const take = (): Slot | undefined => {
        if (fullOf(counters) === undefined) return count(line, counters);
        return parent === undefined || parent.isLent ? undefined : borrow(line, parent);
      };
      const slot = take();
      if (slot !== undefined) return slot;
      const waiting = waiters.get(line) ?? new Set();
      waiters.set(line, waiting);
      return await new Promise((resolve, reject) => {
        const end = (): void => {
          signal.removeEventListener('abort', onAbort);
          waiting.delete(waiter);
          if (waiting.size === 0) waiters.delete(line);
        };
        const onAbort = (): void => {
          end();
          reject(signal.reason);
        };
        const settle = (given: Slot): void => {
          end();
          resolve(given);
        };
        const waiter: Waiter = { take, settle };
        waiting.add(waiter);
        signal.addEventListener('abort', onAbort, { once: true });
      });
    },
  };
}

const unlimitedSlot: Slot = { leave: () => {} };

const lineOf = (tenant: TenantId, operationClass: OperationClass): string => `tenant ${operationClass} ${tenant}`;

function tooMany({ scope, most }: Counter): PatchbayError {
  const detail = `the limit of concurrent requests of this kind per ${scope}, ${most}, is reached`;
  return new PatchbayError('concurrency_limited', detail, { retryAfter: 1 });
}

/** The share that the body of one request takes up. */
export interface BodyShare {
  /**
   * To be called for each chunk, before it is kept.
   *
   * @throws PatchbayError `overloaded` if the bodies of all requests would become too large.
   */
  take(bytes: number): void;
  /** The body is no longer needed. Only the first call counts. */
  leave(): void;
}

/** Limits the bytes of the bodies of all requests in progress. Counted in this process. */
export interface BodyMemory {
  open(): BodyShare;
}

/** Counts what has arrived, not what was announced, so that an announcement alone takes no memory from others. */
export function createBodyMemory(limits: () => Pick<Limits, 'off' | 'bodyBytes'>): BodyMemory {
  let total = 0;
  return {
    open() {
      let held = 0;
      return {
        take(bytes) {
          const { off, bodyBytes } = limits();
          if (!off && total + bytes > bodyBytes) {
            const detail = 'the bodies of the requests in progress take up all the memory that there is for them';
            throw new PatchbayError('overloaded', detail, { retryAfter: 1 });
          }
          held += bytes;
          total += bytes;
        },
        leave() {
          total -= held;
          held = 0;
        },
      };
    },
  };
}
