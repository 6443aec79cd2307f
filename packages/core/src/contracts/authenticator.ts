import type { Principal } from './context.ts';
import type { Lifecycle } from './lifecycle.ts';

/** What a caller presented, after the transport made sure that it is exactly one token. */
export interface Credentials {
  /** The token of `Authorization: Bearer` or of `x-api-key`: 1 to 8,192 visible ASCII characters. */
  readonly token: string;
  /** Address of the peer, for allow-lists. */
  readonly remoteAddress?: string;
}

/** Makes the secrets of API keys, in the form that an authenticator accepts. Who gets one is decided by the core. */
export interface KeyIssuer {
  /** @param lookupId Of a key that gets another secret. Absent: for a new key. */
  issue(lookupId?: string): IssuedKey;
}

export interface IssuedKey {
  /** The whole key, to be shown to its owner and kept nowhere. */
  readonly key: string;
  /** The public part. */
  readonly lookupId: string;
  /** What is stored in place of the secret part. */
  readonly secretHash: string;
}

/**
 * Tells who a caller is. Several may be mounted; they are asked in the order of the config file.
 *
 * Work per call is bounded and takes as long for an unknown token as for a wrong one.
 */
export interface Authenticator extends Lifecycle {
  /** Present where the tokens are API keys of this server. The first authenticator that has it makes all keys. */
  readonly keys?: KeyIssuer;
  /**
   * `undefined`: not a token of this kind, ask the next one.
   *
   * @throws PatchbayError `invalid_token`, `token_expired`, `key_revoked` or `address_not_allowed`: of this kind, and
   *   refused; `authentication_unavailable`: of this kind, and nobody can tell.
   */
  authenticate(credentials: Credentials): Promise<Principal | undefined>;
}
