import { BlockList, isIP } from 'node:net';
import type { Principal } from '@patchbay/contracts/context';
import { type ErrorDetail, PatchbayError } from '@patchbay/contracts/errors';
import type { Budget, Limits, RateLimit } from '@patchbay/contracts/limits';
import type { ApiKeyRow } from '@patchbay/contracts/rows';
import type { Scope } from '@patchbay/contracts/scopes';
import { isAddressRange } from '@patchbay/outbound/egress/address-range';
import { hasScope } from './callers.ts';
import type { KeyInput } from './key-service.ts';

/** The limits of one key. Null: none. */
export type KeyLimits = Pick<ApiKeyRow, 'expiresAt' | 'ipAddresses' | 'functions' | 'rateLimit' | 'budget'>;

const LONGEST_MONTH = 31;

/** Lets a key outlive the credential that creates it. */
const permanent: Scope = 'keys:permanent';

/** The limits of all keys, from the config. The limit of a single key takes precedence. */
type StandardLimits = Pick<KeyLimits, 'rateLimit' | 'budget'>;

export function standardLimits({ off, key }: Pick<Limits, 'off' | 'key'>): StandardLimits {
  if (off) return { rateLimit: null, budget: null };
  const { off: isUnlimited, ...rateLimit } = key.all;
  return { rateLimit: isUnlimited ? null : rateLimit, budget: key.budget ?? null };
}

/**
 * The limits of a single caller.
 *
 * @param own Row of the caller's key. Undefined for callers without a stored key.
 * @throws PatchbayError `insufficient_scope` if the expiry of the credential is unknown.
 */
export function ownLimits(caller: Principal, own: ApiKeyRow | undefined): KeyLimits {
  const { limits } = caller;
  return {
    expiresAt: hasScope(caller, permanent) ? null : own ? own.expiresAt : endOf(caller),
    ipAddresses: own?.ipAddresses ?? null,
    functions: caller.functions ?? null,
    rateLimit: own?.rateLimit ?? limits?.rateLimit ?? null,
    budget: own?.budget ?? limits?.budget ?? null,
  };
}

function endOf({ expiresAt }: Principal): string | null {
  if (expiresAt === undefined) {
    const detail = `it is unknown when the credentials expire, so keys take the scope ${permanent}`;
    throw new PatchbayError('insufficient_scope', detail, { extensions: { scope: permanent } });
  }
  return expiresAt === null ? null : new Date(expiresAt).toISOString();
}

/**
 * Members in which a key would exceed the limits of its creator, as pointers. The standard limits bind every creator
 * without all scopes: otherwise any caller that may create keys could evade them.
 */
export function faultsBeyond(
  key: KeyLimits,
  { caller, own, standard }: { readonly caller: Principal; readonly own: KeyLimits; readonly standard: StandardLimits },
): readonly ErrorDetail[] {
  const most = caller.scopes.includes('*') ? own : withStandard(own, standard);
  const { expiresAt, ipAddresses, functions, rateLimit, budget } = withStandard(key, standard);
  const faults: ErrorDetail[] = [];
  const fault = (pointer: string, detail: string, code = 'too_much') => void faults.push({ pointer, code, detail });
  if (most.expiresAt !== null && (expiresAt === null || Date.parse(expiresAt) > Date.parse(most.expiresAt))) {
    fault('/expiresAt', `must not be after ${most.expiresAt}, when the credentials of the caller expire`, 'too_late');
  }
  const { ipAddresses: allowed } = most;
  if (allowed !== null) {
    if (ipAddresses === null) fault('/ipAddresses', 'must be among the addresses of the caller');
    ipAddresses?.forEach((range, index) => {
      if (allowed.some((each) => holds(each, range))) return;
      fault(`/ipAddresses/${index}`, 'is not among the addresses of the caller');
    });
  }
  const { functions: reached } = most;
  if (reached !== null) {
    if (functions === null) fault('/functions', 'must be among the functions of the caller');
    functions?.forEach((id, index) => {
      if (!reached.includes(id)) fault(`/functions/${index}`, 'is not among the functions of the caller');
    });
  }
  if (most.rateLimit !== null && (rateLimit === null || isFaster(rateLimit, most.rateLimit))) {
    const { requests, seconds, burst } = most.rateLimit;
    fault(
      '/rateLimit',
      `must be at most ${requests} requests per ${seconds} seconds, ${burst} at once, as the caller's`,
    );
  }
  if (most.budget !== null && (budget === null || isLarger(budget, most.budget))) {
    const kind = most.budget.strict ? ', strict' : '';
    fault('/budget', `must be at most ${most.budget.usd} USD per ${most.budget.period}${kind}, as the caller's`);
  }
  return faults;
}

function withStandard(limits: KeyLimits, standard: StandardLimits): KeyLimits {
  return { ...limits, rateLimit: limits.rateLimit ?? standard.rateLimit, budget: limits.budget ?? standard.budget };
}

function holds(network: string, part: string): boolean {
  const [address = '', prefix] = network.split('/');
  const [partAddress = '', partPrefix] = part.split('/');
  const type = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(address) !== isIP(partAddress)) return false;
  const bits = type === 'ipv6' ? 128 : 32;
  if (Number(partPrefix ?? bits) < Number(prefix ?? bits)) return false;
  const list = new BlockList();
  list.addSubnet(address, Number(prefix ?? bits), type);
  return list.check(partAddress, type);
}

function isFaster(one: RateLimit, other: RateLimit): boolean {
  return one.requests * other.seconds > other.requests * one.seconds || one.burst > other.burst;
}

/** Whether a budget allows more spending than another in any day or month. */
function isLarger(one: Budget, other: Budget): boolean {
  if (other.strict && !one.strict) return true;
  const times = one.period === 'day' && other.period === 'month' ? LONGEST_MONTH : 1;
  return one.usd * times > other.usd;
}

/** A pointer to each scope of a new key that its creator lacks. */
function scopeFaults(scopes: readonly string[], caller: Principal): readonly ErrorDetail[] {
  return scopes.flatMap((scope, index) => {
    if (hasScope(caller, scope)) return [];
    return [
      { pointer: `/scopes/${index}`, code: 'insufficient_scope', detail: 'is not among the scopes of the caller' },
    ];
  });
}

/**
 * Validate a new key beyond its schema: the caller has its scopes, it expires in the future, its addresses are valid, its
 * functions exist, and its limits are at least as strict as the caller's. Omitted members are inherited from the caller.
 *
 * @param parts.unknownFunctions A pointer to each function that does not exist.
 * @throws PatchbayError with a pointer to every fault: `insufficient_scope` if a scope is among them, otherwise
 *   `invalid_request`.
 */
export function checkKeyInput(
  input: KeyInput,
  parts: { readonly now: number; readonly unknownFunctions: readonly ErrorDetail[] } & Parameters<
    typeof faultsBeyond
  >[1],
): KeyLimits {
  const { now, caller, own, unknownFunctions } = parts;
  const addresses = (input.ipAddresses ?? []).flatMap((range, index): ErrorDetail[] => {
    if (isAddressRange(range)) return [];
    const detail = 'must be an IPv4 or IPv6 address, or a network such as 10.0.0.0/8';
    return [{ pointer: `/ipAddresses/${index}`, code: 'ip_address', detail }];
  });
  const end = input.expiresAt == null ? undefined : Date.parse(input.expiresAt);
  const time: ErrorDetail[] = [];
  const fault = (code: string, detail: string) => time.push({ pointer: '/expiresAt', code, detail });
  if (Number.isNaN(end)) fault('time', 'must be a time such as 2027-01-31T12:00:00Z');
  else if (end !== undefined && end <= now) fault('past', 'must be in the future');

  const limits: KeyLimits = {
    expiresAt: end === undefined || time.length > 0 ? own.expiresAt : new Date(end).toISOString(),
    ipAddresses: addresses.length > 0 ? own.ipAddresses : (input.ipAddresses ?? own.ipAddresses),
    functions: input.functions ?? own.functions,
    rateLimit: input.rateLimit ?? own.rateLimit,
    budget: input.budget ?? own.budget,
  };
  const lacking = scopeFaults(input.scopes, caller);
  const errors = [...lacking, ...addresses, ...time, ...unknownFunctions, ...faultsBeyond(limits, parts)];
  if (lacking.length > 0) {
    throw new PatchbayError('insufficient_scope', 'a key cannot have more scopes than its creator', { errors });
  }
  if (errors.length > 0) {
    throw new PatchbayError('invalid_request', 'the key cannot be created with these values', { errors });
  }
  return { ...limits, functions: limits.functions && [...new Set(limits.functions)] };
}
