import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { Credentials, RequestHead } from '@patchbay/contracts/authenticator';
import type { Clock } from '@patchbay/contracts/clock';
import type { Principal } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { SwitchableRateLimit } from '@patchbay/contracts/limits';
import { LRUCache } from 'lru-cache';
import { createMemoryRateLimiter } from '../built-in/memory-rate-limiter.ts';
import { namedPolicy } from './request-limits.ts';

type Presented = Credentials | RequestHead;
type Authenticate = (presented: Presented) => Promise<Principal>;

/** Maximum number of networks, and of credentials, that are tracked; the least recently used are evicted. */
const REMEMBERED = 10_000;

/**
 * Slow down attempts to guess credentials: a network from which too many were rejected waits before anything is
 * verified or looked up for it.
 *
 * Many callers can share an address, behind a proxy or a gateway. Credentials that were once accepted, from any
 * network, are therefore verified even while their network has to wait, until they are rejected: only unknown ones are
 * kept out. Each process counts on its own.
 */
export function guardAuthentication(
  authenticate: Authenticate,
  limit: SwitchableRateLimit,
  clock: Pick<Clock, 'monotonic'>,
): Authenticate {
  const policy = namedPolicy('failed-authentication', limit);
  if (!policy) return authenticate;
  const limiter = createMemoryRateLimiter(clock);
  const suspectUntil = new LRUCache<string, number>({ max: REMEMBERED });
  const accepted = new LRUCache<string, true>({ max: REMEMBERED });
  const suspicionMs = (limit.burst / limit.requests) * limit.seconds * 1_000;

  const suspect = (network: string): void => {
    suspectUntil.set(network, clock.monotonic() + suspicionMs);
  };

  /**
   * Verify what a network under suspicion sent. The unit is taken first, so that sending many at once is no way around
   * the limit.
   */
  const verify = async (credentials: Presented, network: string): Promise<Principal> => {
    const charge = { key: network, cost: 1, policy };
    const [decision] = await limiter.consume([charge]);
    if (decision?.allowed === false) throw tooMany(decision.retryAfterSeconds);
    try {
      const principal = await authenticate(credentials);
      await limiter.adjust([{ ...charge, cost: -1 }]);
      return principal;
    } catch (error) {
      if (isRefusal(error)) suspect(network);
      else await limiter.adjust([{ ...charge, cost: -1 }]);
      throw error;
    }
  };

  /** For credentials that were known, or came from a network that was not under suspicion: from now on it is. */
  const refused = async (error: unknown, network: string, digest: string | undefined): Promise<void> => {
    if (!isRefusal(error)) return;
    if (digest !== undefined) accepted.delete(digest);
    suspect(network);
    await limiter.adjust([{ key: network, cost: 1, policy }]);
  };

  return async (presented) => {
    const network = networkOf(presented.remoteAddress ?? '');
    const secret = secretOf(presented);
    const digest = secret === undefined ? undefined : hash('sha256', secret, 'base64');
    const isSuspect = (suspectUntil.get(network) ?? Number.NEGATIVE_INFINITY) > clock.monotonic();
    // Not `has`, which would let a key in use age.
    const isKnown = digest !== undefined && accepted.get(digest) === true;
    const isGuess = isSuspect && !isKnown;
    try {
      const principal = await (isGuess ? verify(presented, network) : authenticate(presented));
      if (digest !== undefined) accepted.set(digest, true);
      return principal;
    } catch (error) {
      if (!isGuess) await refused(error, network, digest);
      throw error;
    }
  };
}

/** Distinguishes callers of one network: the token, else the session, the credentials or the certificate of the request. */
function secretOf(presented: Presented): string | Uint8Array | undefined {
  if (presented.token !== undefined || !('header' in presented)) return presented.token;
  return presented.session ?? presented.header('authorization') ?? presented.peerCertificate;
}

const refusals: ReadonlySet<string> = new Set(['invalid_token', 'token_expired', 'key_revoked']);

function isRefusal(error: unknown): boolean {
  return PatchbayError.is(error) && refusals.has(error.code);
}

function tooMany(retryAfter: number): PatchbayError {
  const detail = 'too many credentials from this address were refused; wait as long as Retry-After says';
  return new PatchbayError('rate_limited', detail, { retryAfter });
}

/** The network of an address. A caller can choose among all addresses of an IPv6 /64 network: they count as one. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  if (/^::ffff:\d+\./i.test(address)) return address.slice('::ffff:'.length);
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  const groups = tail === undefined ? before : [...before, ...zeros, ...after];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
