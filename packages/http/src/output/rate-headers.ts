import type { Admission } from '../service-types.ts';

type Standing = Admission['standings'][number];
type Policy = Standing['policy'];

/** Writes `RateLimit-Policy` and `RateLimit`, as draft 10 of the IETF's RateLimit header fields has them. */
export type WriteRateHeaders = (headers: Record<string, string>, standings: readonly Standing[]) => void;

/**
 * `q` is what a full bucket has and `w` the seconds in which an empty one fills: as many per second as the limit says.
 * `r` is what is left. `t` is when the bucket is full again; in a refusal, when the request can succeed, as in
 * `Retry-After`.
 */
export function createRateHeaders(): WriteRateHeaders {
  const texts = new WeakMap<Policy, string>();

  const textOf = (policy: Policy): string => {
    const known = texts.get(policy);
    if (known !== undefined) return known;
    const { name, requests, seconds, burst } = policy;
    const text = `"${name}";q=${burst};w=${Math.ceil((burst * seconds) / requests)}`;
    texts.set(policy, text);
    return text;
  };

  return (headers, standings) => {
    if (standings.length === 0) return;
    let policies = '';
    let left = '';
    for (const { policy, allowed, remaining, resetSeconds, retryAfterSeconds } of standings) {
      const comma = policies === '' ? '' : ', ';
      policies += comma + textOf(policy);
      left += `${comma}"${policy.name}";r=${remaining};t=${Math.ceil(allowed ? resetSeconds : retryAfterSeconds)}`;
    }
    headers['RateLimit-Policy'] = policies;
    headers['RateLimit'] = left;
  };
}
