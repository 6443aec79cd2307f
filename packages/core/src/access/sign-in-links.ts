import { randomBytes } from 'node:crypto';
import type { Clock } from '../contracts/clock.ts';
import type { Principal } from '../contracts/context.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { TenantId } from '../contracts/tenant.ts';
import { createAddressFilter } from '../egress/address-range.ts';

const LINK_MS = 60_000;

const PREFIX = 'pbl_';

const isLoopback = createAddressFilter(['127.0.0.0/8', '::1']);

/** Headers by which a proxy names its client: behind one, every client would have an address of this machine. */
const forwarding = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/** The part of a request that says where it comes from. */
interface Sender {
  readonly remoteAddress?: string | undefined;
  header(name: string): string | undefined;
}

/**
 * Tokens that sign the person at the terminal in, once and within a minute, from this machine. Each process knows its own, and
 * keeps them in memory: what the terminal shows ends with it.
 */
export interface SignInLinks {
  create(tenant: TenantId): string;
  /** Whether a token has the form of one. */
  isLink(token: string): boolean;
  /**
   * The caller that a token makes of a request: one without any scope, who can only sign in.
   *
   * @throws PatchbayError `invalid_token`, `address_not_allowed`.
   */
  callerOf(token: string, sender: Sender): Principal;
  /**
   * Use a token up.
   *
   * @throws PatchbayError `invalid_token`.
   */
  redeem(token: string): TenantId;
}

export function createSignInLinks(clock: Pick<Clock, 'now'>): SignInLinks {
  const open = new Map<string, { readonly tenant: TenantId; readonly until: number }>();

  const find = (token: string) => {
    const found = open.get(token);
    if (found && found.until > clock.now()) return found;
    throw new PatchbayError('invalid_token', 'the sign-in link was used or has expired; sign in with an API key');
  };

  return {
    create(tenant) {
      const now = clock.now();
      for (const [token, { until }] of open) if (until <= now) open.delete(token);
      const token = PREFIX + randomBytes(32).toString('base64url');
      open.set(token, { tenant, until: now + LINK_MS });
      return token;
    },

    isLink: (token) => token.startsWith(PREFIX),

    callerOf(token, sender) {
      const { tenant, until } = find(token);
      const { remoteAddress } = sender;
      const isForwarded = forwarding.some((name) => sender.header(name) !== undefined);
      if (isForwarded || remoteAddress === undefined || !isLoopback(remoteAddress)) {
        throw new PatchbayError('address_not_allowed', 'a sign-in link works on the machine of the server only');
      }
      return { id: 'sign-in-link', kind: 'service', tenant, scopes: [], expiresAt: until };
    },

    redeem(token) {
      const { tenant } = find(token);
      open.delete(token);
      return tenant;
    },
  };
}
