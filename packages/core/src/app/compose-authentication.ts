import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../contracts/clock.ts';
import type { Limits } from '../contracts/limits.ts';
import { guardAuthentication } from '../limits/guard-authentication.ts';
import type { AppServices } from './app-services.ts';

/** Guards authentication as limits say; who is under suspicion stays so while these limits are the same. */
export type AuthenticationGuard = (limits: Limits) => AppServices['authenticate'];

export function createAuthenticationGuard(
  authenticate: AppServices['authenticate'],
  clock: Clock,
): AuthenticationGuard {
  let kept:
    | { readonly limit: Limits['failedAuthentication']; readonly guarded: AppServices['authenticate'] }
    | undefined;
  return ({ off, failedAuthentication: limit }) => {
    if (off) return authenticate;
    if (kept === undefined || !isDeepStrictEqual(kept.limit, limit)) {
      kept = { limit, guarded: guardAuthentication(authenticate, limit, clock) };
    }
    return kept.guarded;
  };
}
