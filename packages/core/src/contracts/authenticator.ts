import type { Principal } from './context.ts';
import type { Lifecycle } from './lifecycle.ts';

/** The token of a caller; the transport has made sure that there is exactly one. */
export interface Credentials {
  /** The token of `Authorization: Bearer` or of `x-api-key`: 1 to 8,192 visible ASCII characters. */
  readonly token: string;
  /** Address of the peer, for allow-lists. */
  readonly remoteAddress?: string;
}

/**
 * The head of a request, for authenticators that need more than a token: Basic, client certificates, signatures.
 *
 * Headers and certificate are read by asking for them. The object that a server passes has no enumerable member, so that
 * a log line or a dump that contains it shows none of them. The body has not been read: a signature covers it by signing
 * `Content-Digest` (RFC 9530), which the server compares with the body before an operation begins.
 */
export interface RequestHead {
  readonly method: string;
  /** Path and query as the client sent them, including a prefix that the host cut off; without a token in the query. */
  readonly target: string;
  /** As in `Credentials`. Absent: the request has neither `Authorization: Bearer` nor `x-api-key`. */
  readonly token?: string | undefined;
  /** Address of the client, where the transport knows it. */
  readonly remoteAddress?: string | undefined;
  /** The client certificate in DER. Absent: there is none, the host did not verify it, or the host cannot tell. */
  readonly peerCertificate?: Uint8Array | undefined;
  /**
   * A header by its lower-case name, as operations read it. `authorization` was sent once, with at most 8,192 characters;
   * how other repeated headers are joined is up to the host.
   */
  header(name: string): string | undefined;
}

/** Makes the secrets of API keys, in the form that an authenticator accepts. The core decides who gets one. */
export interface KeyIssuer {
  /** @param lookupId Of a key that gets another secret. Absent: for a new key. */
  issue(lookupId?: string): IssuedKey;
}

export interface IssuedKey {
  /** The whole key, to be shown to its owner and kept nowhere. */
  readonly key: string;
  /** The public part. */
  readonly lookupId: string;
  /** Stored in place of the secret part. */
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
   *   refused; `authentication_unavailable`: of this kind, but cannot be verified.
   */
  authenticate(credentials: Credentials): Promise<Principal | undefined>;
  /**
   * Present: asked instead of `authenticate` about every HTTP request, with or without a token. A host that authenticates
   * a token without a request still calls `authenticate`. Results and errors are those of `authenticate`.
   *
   * A browser sends Basic credentials, cookies and client certificates along with requests that pages of other sites
   * make. The server therefore refuses state-changing requests of such pages where the request has no token.
   */
  authenticateRequest?(request: RequestHead): Promise<Principal | undefined>;
}
