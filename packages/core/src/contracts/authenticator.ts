import type { Principal } from './context.ts';
import type { Lifecycle } from './lifecycle.ts';

/** What a caller presented, after the transport made sure that it is exactly one token. */
export interface Credentials {
  /** The token of `Authorization: Bearer` or of `x-api-key`: 1 to 8,192 visible ASCII characters. */
  readonly token: string;
  /** Address of the peer, for allow-lists. */
  readonly remoteAddress?: string;
}

/**
 * Tells who a caller is. Several may be mounted; they are asked in the order of the config file.
 *
 * Work per call is bounded and takes as long for an unknown token as for a wrong one.
 */
export interface Authenticator extends Lifecycle {
  /**
   * `undefined`: not a token of this kind, ask the next one.
   *
   * @throws PatchbayError `invalid_token`, `token_expired` or `key_revoked`: of this kind, and refused.
   */
  authenticate(credentials: Credentials): Promise<Principal | undefined>;
}
