import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@patchbay/contracts/clock';
import { PatchbayError } from '@patchbay/contracts/errors';
import { createAddressFilter } from '@patchbay/outbound/egress/address-range';

const LINK_MS = 60_000;

/** How the token of a link begins. */
export const LINK_PREFIX = 'pbl_';

const isLoopback = createAddressFilter(['127.0.0.0/8', '::1']);

/** Headers by which a proxy names its client: behind one, every client would have an address of this machine. */
const forwarding = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/** The part of a request that shows where it comes from. */
interface Sender {
  readonly remoteAddress?: string | undefined;
  header(name: string): string | undefined;
}

/**
 * Tokens that sign in the person at the terminal, within a minute, from this machine. Every process with the same root
 * secret recognizes them; the storage ensures that each is used once.
 */
export interface SignInLinks {
  create(): string;
  /**
   * The expiry of a token, in milliseconds since 1970.
   *
   * @throws PatchbayError `invalid_token` if it has expired, or was not created here.
   */
  endOf(token: string): number;
}

/** @param key Signs them. */
export function createSignInLinks(clock: Pick<Clock, 'now'>, key: Uint8Array): SignInLinks {
  const signed = (text: string): string => `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;

  return {
    create: () => signed(`${LINK_PREFIX}${clock.now() + LINK_MS}_${randomBytes(16).toString('base64url')}`),

    endOf(token) {
      const given = Buffer.from(token);
      const expected = Buffer.from(signed(token.slice(0, token.indexOf('.'))));
      const until = Number.parseInt(token.slice(LINK_PREFIX.length), 10);
      if (given.length === expected.length && timingSafeEqual(given, expected) && until > clock.now()) return until;
      throw usedOrOver();
    },
  };
}

/**
 * @throws PatchbayError `address_not_allowed` unless a request comes from this machine, as far as that can be
 * determined.
 */
export function requireThisMachine(sender: Sender): void {
  const { remoteAddress } = sender;
  const isForwarded = forwarding.some((name) => sender.header(name) !== undefined);
  if (isForwarded || remoteAddress === undefined || !isLoopback(remoteAddress)) {
    throw new PatchbayError('address_not_allowed', 'a sign-in link works on the machine of the server only');
  }
}

export function usedOrOver(): PatchbayError {
  return new PatchbayError('invalid_token', 'the sign-in link was used or has expired; sign in with an API key');
}
