import type { Authenticator, GrantedScope } from '@patchbay/core/plugin';
import type { Runner } from '../runner.ts';

/** Who a token is for, or what is wrong with it. */
export interface TokenRequest {
  readonly tenant: string;
  readonly scopes: readonly GrantedScope[];
  /** The token was once valid. */
  readonly expired?: boolean;
  /** Epoch milliseconds, at a whole second, when the token expires. Default: some time after the test, or never. */
  readonly expiresAt?: number;
}

/** The parts of a request that identify its caller. Default: `GET /models` from 127.0.0.1, without headers. */
export interface PresentedRequest {
  readonly method?: string;
  readonly target?: string;
  /** By lower-case name. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string;
  readonly remoteAddress?: string;
  /** DER. */
  readonly peerCertificate?: Uint8Array;
}

/** An authenticator, and the issuer of its tokens. */
export interface AuthenticatorUnderTest {
  readonly authenticator: Authenticator;
  /** Make a token: a new one, for a new caller, on each call. */
  readonly issue: (request: TokenRequest) => Promise<string>;
  /**
   * Put what `issue` made, or something like it, into a request: for an authenticator with `authenticateRequest`. Default:
   * a bearer token.
   */
  readonly present?: (issued: string) => PresentedRequest;
  /** Release everything; the authenticator is already stopped. */
  dispose(): Promise<void>;
}

export interface AuthenticatorConformanceOptions {
  /** A fresh one, once for each test. */
  create(): Promise<AuthenticatorUnderTest>;
}

/** A subject, with its authenticator called as a server calls it. */
export interface AskedAuthenticator extends AuthenticatorUnderTest {
  readonly asked: Pick<Authenticator, 'authenticate'>;
}

/** The subject of a part of the suite. */
export interface AuthenticatorSuite {
  readonly runner: Runner;
  /** A test with a started authenticator, which is stopped afterwards. */
  readonly it: (name: string, body: (subject: AskedAuthenticator) => Promise<void>) => void;
}
