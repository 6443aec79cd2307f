import type { Principal } from './context.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { TenantId } from './tenant.ts';

/** The token of a caller; the transport guarantees that there is exactly one. */
export interface Credentials {
  /** The token of `Authorization: Bearer` or of `x-api-key`: 1 to 8,192 visible ASCII characters. */
  readonly token: string;
  /** Address of the peer, for allow-lists. */
  readonly remoteAddress?: string;
}

/**
 * The head of a request, for authenticators that need more than a token: Basic, client certificates, signatures.
 *
 * Headers and certificate are read on demand. The object that a server passes has no enumerable members, so that
 * a log line or a dump that contains it shows none of them. The body has not been read: a signature covers it by signing
 * `Content-Digest` (RFC 9530), which the server compares with the body before an operation begins.
 */
export interface RequestHead {
  readonly method: string;
  /** Path and query as the client sent them, including a prefix that the host stripped; without a token in the query. */
  readonly target: string;
  /** As in `Credentials`. Absent: the request has neither `Authorization: Bearer` nor `x-api-key`. */
  readonly token?: string | undefined;
  /**
   * Secret in the console's session cookie, if a page of this server sent the request. Authenticators can ignore it:
   * the server uses the session's credential as the token.
   */
  readonly session?: string | undefined;
  /** Address of the client, where the transport knows it. */
  readonly remoteAddress?: string | undefined;
  /** The client certificate in DER. Absent: none was sent, the host did not verify it, or the host does not expose it. */
  readonly peerCertificate?: Uint8Array | undefined;
  /**
   * A header by its lower-case name, as operations read it. `authorization` was sent once, with at most 8,192 characters;
   * how other repeated headers are joined is up to the host.
   */
  header(name: string): string | undefined;
}

/** Generates API keys in the format of an authenticator. The core decides who may create one. */
export interface KeyIssuer {
  /** @param lookupId Lookup id of a key that is rotated. Absent: a new key. */
  issue(lookupId?: string): IssuedKey;
  /** Tenant of the first key, and of anyone who signs in with a sign-in link. Default: `default`. */
  readonly tenant?: TenantId;
}

export interface IssuedKey {
  /** The complete key, to be shown to its owner and never stored. */
  readonly key: string;
  /** The public part. */
  readonly lookupId: string;
  /** Stored in place of the secret part. */
  readonly secretHash: string;
}

/**
 * Identifies callers. Several may be mounted; they are tried in the order of the config file.
 *
 * The work per call is bounded, and takes equally long for an unknown and a wrong token.
 */
export interface Authenticator extends Lifecycle {
  /** Present if the tokens are API keys of this server. The first authenticator with it generates all keys. */
  readonly keys?: KeyIssuer;
  /** Where clients get tokens, if OAuth servers issue them: the issuers, by the resource that their tokens are for. */
  readonly tokenIssuers?: ReadonlyMap<string, readonly string[]>;
  /**
   * `undefined`: not a token of this kind; the next authenticator is tried.
   *
   * @throws PatchbayError `invalid_token`, `token_expired`, `key_revoked` or `address_not_allowed`: of this kind, but
   *   rejected; `authentication_unavailable`: of this kind, but cannot be verified.
   */
  authenticate(credentials: Credentials): Promise<Principal | undefined>;
  /**
   * If present, called instead of `authenticate` for every HTTP request, with or without a token. A host that authenticates
   * a token without a request still calls `authenticate`. Results and errors are those of `authenticate`.
   *
   * A browser sends Basic credentials, cookies and client certificates along with requests that pages of other sites
   * make. The server therefore rejects state-changing requests from such pages if they carry no token.
   */
  authenticateRequest?(request: RequestHead): Promise<Principal | undefined>;
}
