import type { Authenticator, GrantedScope } from '@patchbay/core/plugin';
import type { Runner } from '../runner.ts';

/** Whom a token is for, or what is wrong with it. */
export interface TokenRequest {
  readonly tenant: string;
  readonly scopes: readonly GrantedScope[];
  /** The token was good once. */
  readonly expired?: boolean;
  /** Epoch milliseconds, at a whole second, when the token expires. Default: some time after the test, or never. */
  readonly expiresAt?: number;
}

/** An authenticator, and whoever hands out its tokens. */
export interface AuthenticatorUnderTest {
  readonly authenticator: Authenticator;
  /** Make a token: each call another one, of another caller. */
  readonly issue: (request: TokenRequest) => Promise<string>;
  /** Release everything; the authenticator was stopped before. */
  dispose(): Promise<void>;
}

export interface AuthenticatorConformanceOptions {
  /** A fresh one, once for each test. */
  create(): Promise<AuthenticatorUnderTest>;
}

/** What the parts of the suite get. */
export interface AuthenticatorSuite {
  readonly runner: Runner;
  /** A test with an authenticator that was started, and is stopped afterwards. */
  readonly it: (name: string, body: (subject: AuthenticatorUnderTest) => Promise<void>) => void;
}
